"""What the oldest environment is made of."""

import tomllib

import pytest
from tools.floor import ROOT, find_lowest_versions, drop_replaced_pins, list_test_tools

PROJECT = {
    "dependencies": ["torch>=2.6"],
    "optional-dependencies": {"diffusers": ["diffusers>=0.42,<0.43", "transformers"], "ray": ["ray>=2.60"]},
}


def test_the_lowest_version_is_the_one_behind_the_sign():
    assert find_lowest_versions(PROJECT) == {"torch": "2.6", "diffusers": "0.42"}


def test_all_other_pins_stay():
    text = "# a comment\ntorch==2.13.0+cpu\nsympy==1.14.0\nDiffusers==0.42.1\ntorchmetrics==1.9.0\nnumpy==2.4.6"
    assert drop_replaced_pins(text, {"torch": "2.6", "diffusers": "0.42"}).splitlines() == [
        "# a comment",
        "torchmetrics==1.9.0",
        "numpy==2.4.6",
    ]


@pytest.mark.parametrize(("need", "kept"), [("pytest>=8.2", 1), ("torchao", 0), ("pyright[nodejs]", 0), ("peft", 1)])
def test_tools_that_are_too_new_are_left_out(need, kept):
    assert len(list_test_tools([need])) == kept


def test_the_project_has_a_floor_for_both():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert find_lowest_versions(project).keys() == {"torch", "diffusers"}
