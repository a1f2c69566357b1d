"""Figures and files of one prompt."""

import json

import pytest
from tests.support.files import names_in
from tests.support.takes import clip, image, take, trace

from navicache import Trace
from navicache.generation.results import PromptResult, measure_speedups, write_result
from navicache.generation.timed_calls import PromptRuns


def test_speed_is_measured_by_the_clock_of_call_and_loop():
    assert measure_speedups(take(call=6.0, loop=4.0), take(call=3.0, loop=1.0)) == {"call": 2.0, "loop": 4.0}
    assert measure_speedups(take(call=6.0, loop=None), take(call=3.0, loop=1.0)) == {"call": 2.0, "loop": None}


def test_steps_are_counted_over_all_transformers():
    result = PromptResult("a cat", PromptRuns(take(), trace("CCrr", "Cr"), ""), {})
    assert result.steps == {"total": 6, "computed": 3, "reused": 3}
    assert (result.policy, result.speedup) == ("navicache", {})
    assert PromptResult("a cat", PromptRuns(take(), Trace(), ""), {}).policy == "cached"


def test_without_a_comparison_there_is_the_video_and_its_trace(tmp_path):
    result = write_result("a cat", PromptRuns(take(), trace("Cr"), ""), tmp_path / "new", 8, {})
    assert names_in(tmp_path) == ["trace.json", "video.mp4"]
    assert result.quality is None and set(result.files) == {"cached", "trace"}


@pytest.mark.parametrize("made", [clip, image], ids=["video", "image"])
def test_a_comparison_leaves_figures_that_are_those_of_the_takes(made, tmp_path, home):
    pair = PromptRuns(take(made(0.5), call=2.0), trace("CCrr", "Crrr"), "", take(made(0.6), call=6.0))
    result = write_result("a cat", pair, tmp_path / "out", 8, {"seed": 7})
    found = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert found["speedup"] == {"call": 3.0, "loop": 1.0} and found["seed"] == 7
    assert found["quality"]["psnr"] == pytest.approx(20.0, abs=0.01)
    assert {path.name for path in result.files.values()} == set(names_in(tmp_path / "out"))
    assert {"trace.png", "trace_2.png"} <= set(names_in(tmp_path / "out")), "a picture for each transformer"
