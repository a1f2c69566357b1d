"""The Space, the extra and the environment of `make test-studio` agree with each other."""

import ast
import re
import tomllib

from tools.floor import ROOT, drop_replaced_pins
from tools.studio import DOWNGRADED_PACKAGES, read_gradio_version

SPACE = ROOT / "spaces"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def front_matter() -> dict[str, str]:
    _, matter, _ = (SPACE / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return dict(line.split(": ", 1) for line in matter.splitlines())


def test_the_space_names_what_hugging_face_asks_for():
    matter = front_matter()
    assert matter["sdk"] == "gradio" and (SPACE / matter["app_file"]).is_file()
    assert len(matter["short_description"]) <= 60, "the hub refuses more"
    ast.parse((SPACE / matter["app_file"]).read_text(encoding="utf-8"))


def test_the_spaces_gradio_is_one_that_the_extra_allows():
    version = tuple(map(int, read_gradio_version((SPACE / "README.md").read_text(encoding="utf-8")).split(".")))
    (need,) = (need for need in PROJECT["optional-dependencies"]["studio"] if need.startswith("gradio"))
    least, below = re.fullmatch(r"gradio>=(\d+)\.(\d+),<(?:\d+)", need).groups(), int(need.rpartition("<")[2])
    assert tuple(map(int, least)) <= version[:2] and version[0] < below


def test_the_space_lists_what_the_studio_needs_from_the_index():
    lines = (SPACE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    extras = PROJECT["optional-dependencies"]
    assert set(listed) == {*PROJECT["dependencies"], *extras["diffusers"], *extras["eval"]}
    assert not [need for need in listed if need.startswith("navicache")], "our packages are on no index"


def test_pins_that_gradio_cannot_have_are_left_out():
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    left = drop_replaced_pins(pins, dict.fromkeys(DOWNGRADED_PACKAGES, "")).splitlines()
    assert {line.partition("==")[0] for line in pins.splitlines()} - {line.partition("==")[0] for line in left} == {
        "sympy",
        *DOWNGRADED_PACKAGES,
    }
