"""The wheel, installed beside torch in an environment of its own, is complete and light to import."""

import json
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = ("diffusers", "transformers", "matplotlib")
PROBE = f"""
import importlib.metadata, importlib.util, json, sys
import navicache
print(json.dumps({{
    "file": navicache.__file__,
    "version": navicache.__version__,
    "metadata": importlib.metadata.version("navicache"),
    "findable": [name for name in {HEAVY} if importlib.util.find_spec(name)],
    "imported": [name for name in {HEAVY} if name in sys.modules],
}}))
"""


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site_packages(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the wheel lies in a new environment, which finds torch in ours.

    Python reads no .pth file of a folder that a .pth file names, so our editable install stays out of sight.
    """
    home = tmp_path_factory.mktemp("env")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    site = Path(run(python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "ours.pth").write_text("\n".join(sorted(ours)))
    return site


@pytest.fixture(scope="module")
def probe(site_packages: Path) -> dict:
    python = site_packages.parents[2] / "bin" / "python"
    return json.loads(run(python, "-I", "-c", PROBE))


def test_wheel_carries_types_and_licence_and_nothing_beside_the_package(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert "navicache/py.typed" in names
    data = ("teacache", "magcache", "pab", "published_lists")
    assert {f"navicache/models/data/{name}.json" for name in data} <= set(names)
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"navicache"}
    assert wheel.stat().st_size < 1_000_000, "weights are a package of their own"


def metadata(wheel: Path) -> str:
    """What an index is told."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    return archive.read(name).decode()


def relative_links(text: str) -> list[str]:
    return re.findall(r"\]\((?!https://|#)[^)]*\)", text)


def test_an_index_would_take_it_and_its_links_work_there(wheel: Path):
    run(sys.executable, "-m", "twine", "check", "--strict", wheel)
    text = message_from_string(metadata(wheel)).get_payload()
    assert text.startswith("# navicache\n")
    assert relative_links(text) == []
    assert relative_links((ROOT / "README.md").read_text(encoding="utf-8")), "in the repository they are relative"
    (picture,) = re.findall(r"!\[.*\]\((.*)\)", text)
    assert picture.endswith("/raw/main/docs/images/gallery/wan.webp")


def test_the_weights_are_a_wheel_with_their_licences_and_the_code_that_trained_them(tmp_path: Path):
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT / "pocket")
    (built,) = tmp_path.glob("navicache_pocket-*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", built)
    assert relative_links(metadata(built)) == []
    names = zipfile.ZipFile(built).namelist()
    for model in ("wan", "wild", "hunyuan", "opensora", "cogvideox", "unet", "sound"):
        assert f"navicache_pocket/{model}/model_index.json" in names
    assert "navicache_pocket/turbo/pytorch_lora_weights.safetensors" in names
    assert built.stat().st_size < 210e6
    assert "navicache_pocket/lpips/lpips-alex-0.1.safetensors" in names
    for licence in ("LICENSE", "licenses/torchvision.txt", "licenses/lpips.txt"):
        assert any(name.endswith(f"dist-info/licenses/{licence}") for name in names)
    code = {name.split("/")[1] for name in names if name.endswith(".py")}
    assert code == {"__init__.py", "reader", "train", "world"}
    needed = message_from_string(metadata(built)).get_all("Requires-Dist") or []
    assert all("extra ==" in each for each in needed), "the weights alone need no other package"


def install_other_wheel(project: str, python: Path, folder: Path) -> set[str]:
    """Build the wheel of another project of this repository, check and install it; returns the names in it."""
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT / project)
    (built,) = folder.glob(f"navicache_{project}-*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", built)
    assert relative_links(metadata(built)) == []
    names = zipfile.ZipFile(built).namelist()
    assert f"navicache_{project}/py.typed" in names
    assert any(name.endswith("dist-info/licenses/LICENSE") for name in names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {f"navicache_{project}"}
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", built)
    return set(names)


ALONE = """
import sys
sys.modules["navicache"] = None
import navicache_opensora
print(navicache_opensora.__file__)
"""


def test_open_sora_is_a_wheel_that_needs_no_navicache(site_packages: Path, tmp_path: Path):
    python = site_packages.parents[2] / "bin" / "python"
    assert "navicache_opensora/resolutions.json" in install_other_wheel("opensora", python, tmp_path)
    imported = run(python, "-I", "-c", ALONE).strip()
    assert Path(imported) == site_packages / "navicache_opensora" / "__init__.py"


PLUG_INS = """
from importlib.metadata import entry_points
for group in ("sglang.multimodal_gen.plugins", "vllm_omni.general_plugins"):
    for each in entry_points(group=group):
        print(each.name, each.load().__module__)
"""


def test_servers_find_one_plug_in_each_in_a_wheel_beside_the_library(site_packages: Path, tmp_path: Path):
    python = site_packages.parents[2] / "bin" / "python"
    install_other_wheel("serving", python, tmp_path)
    expected = [f"navicache navicache_serving.{server}.plugin" for server in ("sglang", "vllm_omni")]
    assert run(python, "-I", "-c", PLUG_INS).splitlines() == expected


def test_import_comes_from_the_wheel(probe: dict, site_packages: Path):
    assert Path(probe["file"]) == site_packages / "navicache" / "__init__.py"


def test_versions_agree(probe: dict, wheel: Path):
    assert probe["version"] == probe["metadata"] == wheel.name.split("-")[1]


def test_import_leaves_heavy_packages_alone(probe: dict):
    assert probe["findable"], "none of them is installed here, so nothing would be shown"
    assert probe["imported"] == []
