"""Timed decisions in miniature: every method is timed on every kind of model, and nothing is below zero."""

import csv

import pytest
import torch
from benchmarks.cost import decisions
from benchmarks.cost.decision_rows import FIGURES, Median, estimate_median, read_csv
from benchmarks.cost.decision_subjects import REAL_SIZE, PassThrough
from hypothesis import given
from hypothesis import strategies as st

STEPS = ["--rounds", "1", "--steps", "13"]


@pytest.mark.parametrize(
    "model", [pytest.param(n, marks=[pytest.mark.slow] * (n != "HunyuanVideo")) for n in REAL_SIZE]
)
def test_every_method_is_timed_on_the_models_of_the_paper(model, tmp_path, capsys):
    path = tmp_path / "new" / "decisions.csv"
    decisions.main(["--device", "cpu", "--small", "--models", model, *STEPS, "--csv", str(path)])
    rows = read_csv(path)
    assert [(row.model, row.method) for row in rows] == [(model, name) for name in decisions.METHODS]
    assert {"teacache", "magcache", "easycache", "navicache"} <= {row.policy for row in rows}
    for row in rows:
        assert row.steps == 13 - decisions.ALIGN_STEPS - 1
        assert 0 < row.decision.low <= row.decision.middle <= row.decision.high
        assert row.after.middle > 0 and row.device is None and row.calibration_seconds is None
    assert "NaviCache" in capsys.readouterr().out


@pytest.mark.slow
def test_calibrations_are_timed_in_the_same_process(tmp_path):
    few = ["--calibration-steps", "6", "--csv", str(tmp_path / "d.csv")]
    decisions.main(["--device", "cpu", "--models", "pocket:hunyuan", *STEPS, *few])
    seconds = {row.policy: row.calibration_seconds for row in read_csv(tmp_path / "d.csv")}
    assert seconds["teacache"] > 0 < seconds["magcache"]
    assert {seconds[policy] for policy in ("static", "easycache", "navicache", "inertial")} == {0}


def test_too_few_steps_are_refused(capsys):
    with pytest.raises(SystemExit):
        decisions.main(["--steps", "12"])
    assert "--steps 13" in capsys.readouterr().err


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="make it again"):
        read_csv(tmp_path / "other.csv")


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=80))
def test_a_median_lies_in_its_interval(values):
    found = estimate_median(values)
    assert sum(v <= found.middle for v in values) >= len(values) / 2 <= sum(v >= found.middle for v in values)
    assert (found.low is None) == (len(values) < 6)
    if found.low is not None:
        assert min(values) <= found.low <= found.middle <= found.high <= max(values)


def test_an_idle_part_returns_what_it_was_handed():
    tokens, text = torch.zeros(1, 2), torch.ones(1, 3)
    assert PassThrough()(tokens, None, text) is tokens
    assert PassThrough()(hidden_states=tokens, encoder_hidden_states=text, attention_mask=None) == (tokens, text)


def test_the_file_says_what_the_rows_say(tmp_path):
    about = ("GPU", "2.11", "Wan", "tiny", "bfloat16", "TeaCache", "teacache", 9)
    row = decisions.DecisionRow(*about, Median(0.125, 0.0625, 0.25), None, Median(1.5, None, None), 12.5)
    decisions.save_csv(tmp_path / "d.csv", [row])
    assert read_csv(tmp_path / "d.csv") == [row]
    (line,) = csv.DictReader((tmp_path / "d.csv").read_text().splitlines())
    assert [line[f"{name}_ms"] for name in FIGURES] == ["0.125", "", "1.5"]
