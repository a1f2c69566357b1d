"""No text tells readers to install a name or to clone an address that is not ours: who registers it runs code there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KINDS = (".md", ".py", ".toml", ".txt", ".yml", ".yaml", ".sh", ".json", ".html")
FOLDERS = (
    "docs",
    "src",
    "pocket",
    "opensora",
    "serving",
    "comfyui",
    "wangp",
    "spaces",
    "plans",
    "benchmarks",
    "tools",
    "examples",
)
# A name of ours where pip takes a requirement: not a path (./pocket), not `.[extra]`, not a wheel file.
NAMES = "navicache(?:[-_](?:pocket|opensora|serving|comfyui))?"
TOOLS = "(?:(?:pip3?|pipx|uv tool|comfy node) install|(?:uv|poetry|pdm) add|uvx)"
OURS = re.compile(rf"""{TOOLS}\b[^`\n|]*?[ \t"']{NAMES}(?=[\s"'`\[=<>~!]|$)""")
OWN_EXTRAS = re.compile(r"""pip3? install\b[^`\n|]*\.\[[^\]]*\b(pocket|opensora|serving)\b""")

ADDRESS = re.compile(r"(?:git clone|git\+)[^`\n|]*?https?://\S*/navicache\b")
LINKED = re.compile(r"clone of\s+\[[^\]]*\]\(https?://\S*/navicache\b")
WRONG = (OURS, OWN_EXTRAS, ADDRESS, LINKED)


def texts():
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in KINDS and path.is_file())
    yield from (path for path in ROOT.iterdir() if path.suffix in KINDS or path.name == "Makefile")


def test_no_text_installs_a_name_of_ours_from_an_index():
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in texts()
        for pattern in WRONG
        for match in pattern.finditer(path.read_text(encoding="utf-8").replace("\\\n", " "))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("pip install navicache", True),
        ('pip install "navicache[diffusers,eval]"', True),
        ("pip install torch navicache-pocket==0.1", True),
        ('pip install ".[diffusers,pocket]"', True),
        ('pip install ".[diffusers,eval]" ./pocket', False),
        ("pip install /path/to/navicache matplotlib", False),
        ("pip install dist/navicache-0.1.0-py3-none-any.whl", False),
        ("run `pip install ./pocket` in a clone of navicache", False),
        ("git clone https://github.com/navicache/navicache custom_nodes/navicache", True),
        ("uv add git+https://github.com/navicache/navicache", True),
        ("git clone ADDRESS custom_nodes/navicache", False),
        ("in a clone of\n[navicache](https://github.com/navicache/navicache):", True),
        ("plug-ins that bring [navicache](https://github.com/navicache/navicache) to two servers", False),
        ("uv add navicache", True),
        ("comfy node install navicache", True),
        ("pipx install navicache", True),
        ("git clone https://github.com/deepbeepmeep/Wan2GP, navicache beside it", False),
    ],
)
def test_the_search_finds_what_it_is_for(line, wrong):
    assert any(pattern.search(line) for pattern in WRONG) == wrong
