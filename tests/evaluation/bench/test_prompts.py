"""Prompts: of VBench's package, and of a file beside the plan."""

import json

import pytest

from navicache.evaluation.bench import prompts as prompt_lists
from navicache.evaluation.bench.prompts import read_prompt_file, vbench_prompts


def test_prompts_of_the_package(tmp_path, monkeypatch):
    entries = [("a cat", ["color"]), ("a dog", ["scene"]), ("a cat", ["scene"])]
    path = tmp_path / "list.json"
    path.write_text(json.dumps([{"prompt_en": prompt, "dimension": dimension} for prompt, dimension in entries]))
    assert vbench_prompts((), path) == ["a cat", "a dog"]
    assert vbench_prompts(["scene"], path) == ["a dog", "a cat"]
    with pytest.raises(ValueError, match="no dimension 'colour'; known: color, scene"):
        vbench_prompts(["colour"], path)
    monkeypatch.setattr(prompt_lists.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ValueError, match="pip install --no-deps vbench"):
        vbench_prompts()


def test_prompts_of_a_file_beside_the_plan(tmp_path):
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "p.txt").write_text("a cat\n\n  a dog \na cat\n")
    assert read_prompt_file(tmp_path / "plans", "p.txt") == ["a cat", "a dog"]
    for name in ("../secret.txt", "/etc/hostname"):
        with pytest.raises(ValueError, match="leads out of the plan's folder"):
            read_prompt_file(tmp_path / "plans", name)
    (tmp_path / "plans" / "p.txt").write_text("\n")
    with pytest.raises(ValueError, match="holds no prompt"):
        read_prompt_file(tmp_path / "plans", "p.txt")
