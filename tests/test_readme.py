"""The scripts of the README: the first runs as it stands, the others are Python and name what there is."""

import ast
import re
from pathlib import Path

import diffusers
import pytest
from tests.support.tuned import tuned_file

import navicache

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
CALLS = re.findall(r"`(enable\([^`]*\))`", README.read_text(encoding="utf-8"))


@pytest.mark.slow  # on the embedded model; tests/docs runs it on a smaller one
def test_the_first_script_runs_as_it_stands(capsys):
    names = {}
    exec(compile(BLOCKS[0], str(README), "exec"), names)
    assert names["video"].shape == (17, 128, 128, 3)
    assert "computed 25 of 50 steps" in capsys.readouterr().out


def test_the_others_name_what_there_is():
    for block in BLOCKS[1:]:
        for statement in ast.walk(ast.parse(block)):
            if isinstance(statement, ast.ImportFrom) and statement.module == "diffusers":
                assert all(getattr(diffusers, alias.name) for alias in statement.names)


def test_every_target_of_the_table_is_one(tmp_path, monkeypatch):
    """Each is built, on a function in place of the pipeline; modes and calibrated policies need a known model."""
    tuned_file(tmp_path, "<lambda>").rename(tmp_path / "wan.json")
    monkeypatch.chdir(tmp_path)
    tried = 0
    for text in CALLS:
        call = ast.parse(text, mode="eval").body
        words = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
        if "mode" in words or "transformer" in text:
            continue
        policy = ast.literal_eval(call.args[1]) if len(call.args) > 1 else None
        with navicache.enable(lambda x, t: -x, policy, steps=20, **words):
            tried += 1
    assert tried >= 5
