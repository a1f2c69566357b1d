"""Knobs at equal steps, modes at their own, on rows whose figures are mental arithmetic."""

import pytest
from benchmarks.paper import study_claims
from benchmarks.paper.accuracy import PredictionPoint
from benchmarks.paper.study_claims import compare_knobs, compare_modes, compare_predictions, format_markdown
from tests.evaluation.bench.curves import both, plain

PUBLISHED = {"align_steps": 10, "process_noise": 0.05, "measurement_noise": 0.05}


def setting(name, first, second, mode=None, **changed):
    rows = both(name, first, second, knobs=PUBLISHED | changed, series="NaviCache", total=30)
    return [{**row, "mode": mode} for row in rows]


ROWS = [
    *({**row, "mode": None} for row in plain(total=30)),
    *setting("NaviCache slow", (20, 50.0), (20, 46.0), "slow"),
    *setting("NaviCache mid", (16, 42.0), (16, 40.0), "mid"),
    *setting("Q 1", (19, 50.0), (17, 45.0), process_noise=0.005),
    *setting("N_align 15", (17, 41.0), (17, 41.5), align_steps=15),
]


def find(what):
    (found,) = [each for each in compare_knobs(ROWS) if each.what == what]
    return found


def test_noise_is_compared_at_three_fifths_of_the_steps():
    found = find("Q = 0.005")
    assert (found.study, found.computed) == ("noise", 18.0)
    assert found.difference == pytest.approx((50 - 46 + 45 - 43) / 2)
    assert (found.low, found.high) == (2.0, 4.0)


def test_alignment_is_compared_at_the_steps_that_it_takes():
    found = find("N_align = 15")
    assert (found.study, found.computed) == ("alignment", 17.0)
    assert found.difference == pytest.approx((41 - 44 + 41.5 - 41.5) / 2)


def test_modes_are_compared_at_their_own_steps():
    (found,) = compare_modes(ROWS)
    assert (found.what, found.against, found.computed) == ("slow", "mid", None)
    assert (found.difference, found.low, found.high) == (7.0, 6.0, 8.0)


def test_every_difference_is_a_row():
    text = format_markdown([*compare_knobs(ROWS), *compare_modes(ROWS)])
    assert text.count("\n") == 1 + 3 and "| modes | m | slow | mid | own | +7.0000 (+6.0000 to +8.0000) |" in text


def test_predictions_are_compared_prompt_by_prompt(monkeypatch):
    def shadow(prompt, *pairs):
        return {"prompt": prompt}, [PredictionPoint(0, 1.0, predicted, true) for predicted, true in pairs], None

    shadows = {
        ("m", "NaviCache"): [shadow("a", (0.5, 0.25), (0.5, 0.5)), shadow("b", (1.0, 0.5)), shadow("c")],
        ("m", "EasyCache"): [shadow("b", (1.0, 1.0)), shadow("a", (0.5, 0.5))],
    }
    monkeypatch.setattr(study_claims, "shadow_runs", lambda results: shadows)
    monkeypatch.setattr(study_claims, "prediction_points", lambda run, truth: run)
    (found,) = compare_predictions(None)
    assert (found.study, found.what, found.against) == ("figure 1", "NaviCache", "EasyCache")
    assert (found.prompts, found.difference) == (2, (0.125 + 0.5) / 2)
