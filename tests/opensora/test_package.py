"""The package under its own name: what is saved, what the former name still opens, and what is said without it."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from tests.opensora.common import run, tiny_pipe
from tests.support.commands import refused

import navicache.opensora
import navicache_opensora
from navicache.generation.index_checks import find_component_class
from navicache.pocket import checkpoint_path
from navicache.weights_package import OPENSORA_CLASSES
from navicache_opensora import OpenSoraPipeline

OURS = {"transformer", "vae", "scheduler"}


def libraries(folder: Path) -> dict[str, str]:
    index = json.loads((folder / "model_index.json").read_text())
    return {part: index[part][0] for part in OURS}


def without_package(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if "opensora" in name else find(name, *rest)
    )


def test_a_saved_folder_names_this_package(tmp_path: Path) -> None:
    tiny_pipe().save_pretrained(tmp_path)
    expected = {part: f"navicache_opensora.{part}" for part in OURS}
    assert libraries(tmp_path) == libraries(checkpoint_path("opensora")) == expected


def test_a_folder_with_the_former_name_opens_and_is_saved_with_the_new_one(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    tiny_pipe().save_pretrained(old)
    index = old / "model_index.json"
    index.write_text(index.read_text().replace("navicache_opensora.", "navicache.opensora."))
    assert libraries(old)["vae"] == "navicache.opensora.vae"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened = OpenSoraPipeline.from_pretrained(old)
    opened.set_progress_bar_config(disable=True)
    assert torch.equal(run(opened), run(tiny_pipe()))
    opened.save_pretrained(new)
    assert libraries(new)["vae"] == "navicache_opensora.vae"


@pytest.mark.parametrize("name", navicache_opensora.__all__)
def test_the_former_import_works_and_warns(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"^navicache\.opensora\.{name} is now navicache_opensora\.{name}$"):
        assert getattr(navicache.opensora, name) is getattr(navicache_opensora, name)


def test_the_former_import_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        navicache.opensora.nothing  # noqa: B018


def test_the_library_knows_the_names_of_its_classes() -> None:
    assert {*OPENSORA_CLASSES, "OpenSoraPipelineOutput"} == set(navicache_opensora.__all__)


@pytest.mark.parametrize("command", [["generate", "--model", "pocket:opensora"], ["convert-opensora", "source", "out"]])
def test_without_the_package_a_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    without_package(monkeypatch)
    said = refused(capsys, *command)
    assert "needs navicache-opensora: run `pip install ./opensora` in a clone of navicache" in said
    assert len(said.strip().splitlines()) == 1


def test_without_the_package_other_models_are_still_known(monkeypatch: pytest.MonkeyPatch) -> None:
    without_package(monkeypatch)
    assert find_component_class("diffusers", "WanPipeline").__name__ == "WanPipeline"
    with pytest.raises(ValueError, match=r"pip install \./opensora"):
        find_component_class("navicache_opensora.transformer", "STDiT3Transformer")


def test_the_table_of_sizes_is_read_without_torch() -> None:
    code = "import sys, navicache_opensora.sizes; print(sorted({'torch', 'diffusers'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_misspelt_class_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="OpenSoraPipelin"):
        navicache_opensora.OpenSoraPipelin  # noqa: B018
