"""The page in a real browser, on an embedded model, without a network: `make test-studio`."""

import subprocess
import sys

import pytest
from tests.studio.hands import (
    TILES,
    choose,
    doing,
    live,
    point_at,
    press,
    put,
    refused,
    run,
    visit,
    wait_for,
    watch,
    write,
)
from tests.studio.served import NEEDED

pytestmark = [*NEEDED, pytest.mark.usefixtures("alone")]
STAGE = "document.querySelector('.nv-stage')"
DRAWN = f"{STAGE}.querySelector('.nv-plain canvas').width === 64"
LEFTS = f"[...{STAGE}.querySelectorAll('canvas')].map(view => view.getBoundingClientRect().x)"
ERROR = "range slider for Largest error of an output"
SPEEDUP = "range slider for Speed-up"


def brightest(tab, name):
    pixels = f"document.querySelector('.nv-{name} canvas').getContext('2d').getImageData(0, 0, 64, 64).data"
    return tab.value(f"Math.max(...{pixels}.filter((_, place) => place % 4 < 3))")


def test_a_run_and_another_target(tab, studio):
    visit(tab, studio)
    assert {"no cache", "with the cache"} <= doing(run(tab, Steps=12))
    tiles = tab.value(TILES)
    plain, cached = map(float, tiles[1].split(" → "))
    least, most = (plain - 0.05) / (cached + 0.05), (plain + 0.05) / (cached - 0.05)  # they are shown to 0.1 s
    assert least - 0.01 <= float(tiles[0].rstrip("x")) <= most + 0.01
    assert tiles[2] == "6 of 12" and float(tiles[3]) > 20 and 0 < float(tiles[4]) <= 1 and float(tiles[5]) >= 0, tiles
    assert tab.value("document.querySelectorAll('.nv-result .nv-c').length") == 6
    wait_for(tab, "document.querySelector('.nv-plot').naturalWidth > 600")
    write(tab, SPEEDUP, 3)
    assert "no cache" not in doing(run(tab)), "the plain run is kept"
    assert tab.value(TILES)[2] == "4 of 12" and "(kept)" in tab.value("document.querySelector('.nv-tiles').innerText")
    assert "no cache" in doing(run(tab, Seed=1)), "another noise has another plain run"


def test_what_is_seen_while_it_runs(tab, studio):
    visit(tab, studio)
    seen = [glance for glance in run(tab, Steps=40) if glance[0] == "with the cache" and glance[4]]
    done = [computed + reused for _, _, computed, reused, *_ in seen]
    assert done == sorted(done) and len({*done} - {0, 40}) > 2, "the squares grow while one looks"
    for _, words, computed, reused, squares, bar, _ in seen:
        assert words == f"step {computed + reused} of 40 · computed {computed} · reused {reused}"
        assert squares == 40 and bar == pytest.approx(100 * (computed + reused) / 40, abs=0.1)
    assert seen[-1][3] > 0, "reused ones too"
    assert any(picture == 64 for *_, picture in seen), "the latent is decoded now and then"


def test_speed_up_1_changes_nothing(tab, studio):
    visit(tab, studio)
    write(tab, SPEEDUP, 1)
    run(tab, Steps=8)
    tiles = tab.value(TILES)
    assert tiles[2] == "8 of 8" and tiles[3:5] == ["100.00", "1.0000"]
    wait_for(tab, DRAWN)
    assert brightest(tab, "difference") <= 4 < 100 < brightest(tab, "plain"), "black, but for the compression of black"


def test_views_are_one_frame_and_slide(tab, studio):
    visit(tab, studio)
    run(tab, Steps=8)
    wait_for(tab, f"{DRAWN} && document.querySelector('.nv-reel').currentTime > 0")
    assert len(set(tab.value(LEFTS))) == 3, "side by side"
    assert brightest(tab, "difference") > 4
    times = "document.querySelector('.nv-times')"
    tab.value(f"{times}.value = 4 * {times}.defaultValue")
    wait_for(tab, "document.querySelector('.nv-difference canvas').style.filter === 'brightness(4)'")
    press(tab, "Slide one")
    assert tab.value(f"{STAGE}.dataset.mode") == "slide"
    wipe = "document.querySelector('.nv-wipe')"
    tab.value(f"{wipe}.value = 25; {wipe}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    assert (
        tab.value(f"getComputedStyle({STAGE}.querySelector('.nv-plain canvas')).clipPath") == "inset(0px 75% 0px 0px)"
    )
    plain, cached, _ = tab.value(LEFTS)
    assert plain == cached, "one lies over the other"


def test_a_square_explains_itself(tab, studio):
    visit(tab, studio)
    run(tab, Steps=12)
    point_at(tab, ".nv-result [data-why]:nth-child(3)")
    wait_for(tab, "document.querySelector('.nv-why').textContent.startsWith('Step 2, reused: the schedule')")
    tab.value("document.querySelector('.nv-result .nv-strip').focus()")
    tab.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight")
    wait_for(tab, "document.querySelector('.nv-why').textContent.startsWith('Step 3')")


@pytest.mark.parametrize("target", ["quality", "max error"])
def test_other_targets(tab, studio, target):
    visit(tab, studio)
    choose(tab, target)
    field = {"quality": 'input[value="fast"]', "max error": f'input[aria-label="{ERROR}"]'}[target]
    wait_for(tab, f"!!document.querySelector('{field}')")
    if target == "quality":
        choose(tab, "fast")
    else:
        write(tab, ERROR, 0.2)
    run(tab, Steps=20)
    computed, _, steps = tab.value(TILES)[2].split()
    assert steps == "20" and int(computed) < 20


def test_a_prompt_of_ones_own_and_enter(tab, studio):
    visit(tab, studio)
    write(tab, "Steps", 4)
    put(tab, "#nv-ask textarea", "a small blue cube")
    assert "no cache" in doing(watch(tab))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("Steps", 0, "steps must be a whole number of 1 or more"), ("Seed", -1, "seed must be a whole number")],
)
def test_bad_values_are_refused_in_gradios_manner(tab, studio, name, value, said):
    visit(tab, studio)
    write(tab, name, value)
    press(tab, "Run")
    assert refused(tab, said) and said in live(tab), "the reason stays"


def test_words_that_the_model_does_not_know_are_refused(tab, studio):
    visit(tab, studio)
    put(tab, "#nv-ask textarea", "a red <b>horse</b>")
    assert refused(tab, "horse")
    assert not tab.value("!!document.querySelector('.toast-body b')"), "a text, not markup"


def test_gradio_is_imported_only_when_the_page_is_opened():
    script = "import sys, navicache, navicache.cli, navicache.studio.controller; sys.exit('gradio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=600, check=False).returncode == 0
