"""The markup: one square a step, nothing that a prompt or a note could break."""

from types import SimpleNamespace

import numpy as np
import pytest
from tests.support.takes import clip, image, take, trace

from navicache.generation.results import PromptResult
from navicache.generation.timed_calls import PromptRuns
from navicache.studio.html import done_html, live_html, result_html, steps_html
from navicache.studio.monitor import RunProgress

QUALITY = SimpleNamespace(psnr=40.0, ssim=0.99, lpips=None, lpips_missing="no <weights>")


def made(media=clip, schedule="CCrC", **fields):
    pair = PromptRuns(take(media(0.4), call=1.0), trace(schedule, **fields), "", take(media(0.5), call=2.0))
    return PromptResult("a <b>", pair, {}, QUALITY)


def test_the_live_view_counts():
    text = live_html(RunProgress("with the cache", (True, True, False), 5, np.zeros((8, 8, 3))))
    assert "step 3 of 5 · computed 2 · reused 1" in text and "width: 60.0%" in text
    assert text.count("nv-c") == 2 and text.count("nv-r") == 1 and text.count("<i></i>") == 2
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
    text = result_html(made(notes=("a <note>",)), 8, kept=False)
    for figure in ("2.00x", "2.0 → 1.0", "3 of 4", "40.00", "0.9900", "LPIPS: no &lt;weights&gt;", "a &lt;note&gt;"):
        assert figure in text
    assert text.count("<video") == 1 and text.count("<canvas") == 3 and "nv-play" in text
    assert "(kept)" not in text and "(kept)" in result_html(made(), 8, kept=True)
    assert "http" not in text and "<script" not in text


def test_an_image_needs_no_player():
    text = result_html(made(image), 8, kept=False)
    assert "<video" not in text and 'class="nv-reel"' in text and "nv-play" not in text


def test_several_experts_have_a_strip_each():
    pair = PromptRuns(take(call=1.0), trace("CrC", "CC"), "", take(call=2.0))
    text = result_html(PromptResult("a", pair, {}, QUALITY), 8, kept=False)
    assert text.count('class="nv-strip"') == 2 and text.count('class="nv-plot"') == 2


@pytest.mark.parametrize("schedule", ["CrCr", "CCCC"])
def test_what_came_of_the_target(schedule):
    words = {"CrCr": "computed 2 of 4 steps (2.00x fewer calls)", "CCCC": "nothing was reused"}
    assert words[schedule] in done_html(made(schedule=schedule))
