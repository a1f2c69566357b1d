"""The markup: one square a step, nothing that a prompt or a note could break."""

import base64
import re
from types import SimpleNamespace

import numpy as np
import pytest
from tests.records.common import row, run_of
from tests.studio.toys import job_of
from tests.support.takes import clip, image, take, trace

from navicache import Trace
from navicache.generation.results import PromptResult
from navicache.generation.timed_calls import PromptRuns
from navicache.studio.html import explain_clock, result_html, steps_html
from navicache.studio.live import done_html, live_html, refused_html
from navicache.studio.monitor import CACHED, PLAIN, RunProgress
from navicache.studio.stage import choose_scale

QUALITY = SimpleNamespace(psnr=40.0, ssim=0.99, lpips=None, lpips_missing="no <weights>", audio_snr=None)


def made(media=clip, schedule="CCrC", plain=2.0, loop=1.0, **fields):
    first = take(media(0.5), call=plain, loop=loop)
    pair = PromptRuns(take(media(0.4), call=1.0), trace(schedule, **fields), "", first)
    return PromptResult("a <b>", pair, {}, QUALITY)


def test_the_live_view_counts():
    text = live_html(RunProgress("with the cache", (True, True, False), 5, np.zeros((8, 8, 3))))
    assert "step 3 of 5 · computed 2 · reused 1" in text and "width: 60.0%" in text
    assert text.count("'nv-c'") == 2 and text.count("'nv-r'") == 1 and text.count("<i></i>") == 2
    assert 'src="data:image/png;base64,' in text


def test_the_live_view_before_the_first_step():
    text = live_html(RunProgress("loading owner/<name>"))
    assert "loading owner/&lt;name&gt;" in text and "step" not in text and "<img" not in text


def test_squares_explain_themselves():
    (run,) = trace("CCrrC").runs
    text = steps_html(run)
    assert text.count('class="nv-c"') == 3 and text.count('class="nv-r"') == 2
    assert text.count("data-why=") == 5 and "Step 2, reused:" in text and "computed 3 of 5 steps" in text


def test_a_result_has_its_figures_and_one_reel():
    text = result_html(made(notes=("a <note>",)), job_of(), kept=False)
    for figure in ("2.00x", "2.0 → 1.0", "3 of 4", "40.00", "0.9900", "LPIPS: no &lt;weights&gt;", "a &lt;note&gt;"):
        assert figure in text
    assert text.count("<video") == 1 and text.count("<canvas") == 3 and "nv-play" in text
    assert "(kept)" not in text and "(kept)" in result_html(made(), job_of(), kept=True)
    assert "http" not in text and "<script" not in text


def test_an_image_needs_no_player():
    text = result_html(made(image), job_of(), kept=False)
    assert "<video" not in text and 'class="nv-reel"' in text and "nv-play" not in text


def test_several_experts_have_a_strip_each():
    pair = PromptRuns(take(call=1.0), trace("CrC", "CC"), "", take(call=2.0))
    text = result_html(PromptResult("a", pair, {}, QUALITY), job_of(), kept=False)
    assert text.count('class="nv-strip"') == 2 and text.count('class="nv-plot"') == 2


@pytest.mark.parametrize("schedule", ["CrCr", "CCCC"])
def test_what_came_of_the_target(schedule):
    words = {"CrCr": "computed 2 of 4 steps (2.00x fewer calls)", "CCCC": "nothing was reused"}
    assert words[schedule] in done_html(made(schedule=schedule))


def test_the_time_that_is_left_is_told_from_the_first_step_on():
    assert "left" not in live_html(RunProgress(PLAIN, seconds=7.0))
    text = live_html(RunProgress(PLAIN, (True, True), 50, seconds=6.0))
    assert "6 s · about 2 min 24 s left, then with the cache" in text and 'data-left="144.0"' in text
    text = live_html(RunProgress(CACHED, (True, False), 4, seconds=6.0))
    assert "6 s · about 6 s left<" in text, "nothing comes after it"


def test_a_reason_stays_and_is_a_text():
    assert 'role="alert"' in refused_html("no <b>") and "no &lt;b&gt;" in refused_html("no <b>")


@pytest.mark.parametrize(
    ("schedule", "loop", "said"),
    [
        ("CrCr", 2.51, "2 of 4 steps allow 2.00x, and 2.51x was measured: the clock was not quiet"),
        ("CrCr", 1.05, "other work kept the machine busy"),
        ("CrCr", 1.9, None),
        ("CCCC", 1.0, None),
    ],
)
def test_seconds_that_do_not_fit_the_steps_are_told(schedule, loop, said):
    found = explain_clock(made(schedule=schedule, loop=loop))
    assert found == [] if said is None else said in found[0]


def test_without_a_clock_of_the_loop_the_whole_call_counts():
    assert "4.00x was measured" in explain_clock(made(schedule="CrCr", plain=4.0, loop=None))[0]


@pytest.mark.parametrize(("threshold", "shown"), [(0.0, False), (0.05, True)])
def test_the_chart_of_a_schedule_is_folded_away(threshold, shown):
    pair = PromptRuns(take(), Trace((run_of(row("CrC", threshold=threshold)),)), "", take())
    text = result_html(PromptResult("a", pair, {}, QUALITY), job_of(), kept=False)
    assert ('<details class="nv-chart" open>' in text) == shown and "nv-plot" in text


@pytest.mark.parametrize(("steps", "small"), [(50, False), (900, True)])
def test_many_squares_are_small(steps, small):
    text = live_html(RunProgress(PLAIN, (True,) * steps, steps))
    assert ("nv-many" in text.replace("--nv-many", "")) == small


def test_what_a_visitor_takes_along():
    text = result_html(made(), job_of(speedup=2.5), kept=False)
    assert "<code>cache = navicache.enable(pipe, speedup=2.5)</code>" in text
    files = dict(re.findall(r'class="nv-save" data-name="([^"]+)" data-bytes="([^"]+)"', text))
    assert set(files) == {"cached-video.mp4", "side-by-side.mp4", "trace.json"}
    assert Trace.from_json(base64.b64decode(files["trace.json"]).decode()) == made().pair.trace
    assert base64.b64decode(files["cached-video.mp4"])[4:8] == b"ftyp"
    assert 'data-name="cached-image.png"' in result_html(made(image), job_of(), kept=False)


@pytest.mark.parametrize(("off", "scale"), [(0.0, 5), (0.001, 100), (0.03, 20), (0.7, 1)])
def test_the_difference_is_scaled_to_what_there_is(off, scale):
    plain = np.zeros((2, 16, 16, 3), np.float32)
    assert choose_scale(plain, plain + off) == scale
    few = plain.copy()
    few[0, 0, 0] = 1.0  # one pixel of 512
    assert choose_scale(np.zeros((40, 16, 16, 3)), np.concatenate([few, np.full((38, 16, 16, 3), 0.03)])) == 20
