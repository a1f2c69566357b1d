"""The page in a real browser, on an embedded model, without a network: `make test-studio`."""

import subprocess
import sys
import time

import pytest
from tests.cli.studio.served import LEFT, Studio, installed, live, press, visit, wait_for, write
from tests.report.browser import browser, find_browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not installed(), reason="gradio is not installed: make test-studio has an environment with it"),
    pytest.mark.skipif(find_browser() is None, reason="no Chromium found: apt install chromium brings it"),
]
TILES = "[...document.querySelectorAll('.nv-tiles b')].map(b => b.textContent)"
DONE = "document.querySelector('#nv-live').innerText.startsWith('Done')"
RUNNING = "/step [1-9]/.test(document.querySelector('#nv-live').innerText)"


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    served = Studio(tmp_path_factory.mktemp("studio"), "--model", "pocket:hunyuan")
    try:
        served.wait()
        yield served
    finally:
        served.close()


def outside(tab, studio):
    """Everything the page asked of another machine, and every error of its console."""
    return [problem for problem in tab.problems if f"fetched {studio.address}" not in problem]


def run(tab, **fields):
    """Run to the end; gives what the page said it was doing, one after the other."""
    for name, value in fields.items():
        write(tab, name, value)
    press(tab, "Run")
    wait_for(tab, "document.querySelector('#nv-live b') !== null")
    phases, end = [], time.monotonic() + 240
    while not tab.value(DONE):
        assert time.monotonic() < end, live(tab)
        phases.append(tab.value("document.querySelector('#nv-live b')?.textContent"))
    return list(dict.fromkeys(phases))


def brightest(tab, name):
    pixels = f"document.querySelector('.nv-{name} canvas').getContext('2d').getImageData(0, 0, 64, 64).data"
    return tab.value(f"Math.max(...{pixels}.filter((_, place) => place % 4 < 3))")


def test_a_run_and_another_target(tab, studio):
    visit(tab, studio)
    phases = run(tab, Steps=12)
    assert "no cache" in phases and "with the cache" in phases
    tiles = tab.value(TILES)
    assert tiles[2] == "6 of 12" and float(tiles[3]) > 20 and float(tiles[5]) >= 0, tiles
    assert tab.value("document.querySelectorAll('.nv-result .nv-c').length") == 6
    tab.until("document.querySelector('.nv-plain canvas').width === 64")
    tab.value("document.querySelectorAll('[data-why]')[4].dispatchEvent(new MouseEvent('mouseover', {bubbles: true}))")
    assert tab.value("document.querySelector('.nv-why').textContent").startswith("Step 4, reused: the schedule")
    write(tab, "range slider for Speed-up", 3)
    assert "no cache" not in run(tab), "the plain run is kept"
    assert tab.value(TILES)[2] == "4 of 12" and "(kept)" in tab.value("document.querySelector('.nv-tiles').innerText")
    assert outside(tab, studio) == []


def test_speed_up_1_changes_nothing(tab, studio):
    visit(tab, studio)
    write(tab, "range slider for Speed-up", 1)
    run(tab, Steps=8)
    tiles = tab.value(TILES)
    assert tiles[2] == "8 of 8" and tiles[3:5] == ["100.00", "1.0000"]
    tab.until("document.querySelector('.nv-plain canvas').width === 64")
    assert brightest(tab, "difference") <= 4 < 100 < brightest(tab, "plain"), "black, but for the compression of black"


def test_views_are_one_frame_and_slide(tab, studio):
    visit(tab, studio)
    run(tab, Steps=8)
    tab.until("document.querySelector('.nv-reel').currentTime > 0")
    press(tab, "Slide one")
    assert tab.value("document.querySelector('.nv-stage').dataset.mode") == "slide"
    wipe = "document.querySelector('.nv-wipe')"
    tab.value(f"{wipe}.value = 25; {wipe}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    assert tab.value("document.querySelector('.nv-stage').style.getPropertyValue('--nv-at')") == "25%"
    left, right = (
        tab.value(f"document.querySelector('.nv-{n} canvas').getBoundingClientRect().x") for n in ("plain", "cached")
    )
    assert left == right, "one lies over the other"


def test_stopped_in_mid_run_and_run_again(tab, studio):
    visit(tab, studio)
    write(tab, "Steps", 50)
    press(tab, "Run")
    wait_for(tab, RUNNING)
    press(tab, "Stop")
    wait_for(tab, "document.querySelector('#nv-live').innerText.startsWith('Stopped')")
    assert run(tab, Steps=8) and tab.value(TILES)[2] == "4 of 8"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("Steps", 0, "steps must be a whole number of 1 or more"), ("Seed", -1, "seed must be a whole number")],
)
def test_bad_values_are_refused_in_gradios_manner(tab, studio, name, value, said):
    visit(tab, studio)
    write(tab, name, value)
    press(tab, "Run")
    wait_for(tab, f"document.querySelector('.toast-body')?.innerText.includes('{said}')")
    assert "Press Run" in live(tab) and not tab.value("!!document.querySelector('.nv-tiles')")


def test_two_visitors_at_once(tab, studio):
    visit(tab, studio)
    with browser() as other:
        visit(other, studio)
        for page, steps in ((tab, 10), (other, 14)):
            write(page, "Steps", steps)
            press(page, "Run")
        for page, steps in ((tab, 10), (other, 14)):
            wait_for(page, DONE)
            assert page.value(TILES)[2] == f"{steps // 2} of {steps}", "each sees its own"


def test_a_visitor_who_leaves_makes_room(tab, studio):
    visit(tab, studio)
    with browser() as other:
        visit(other, studio)
        write(other, "Steps", 400)
        press(other, "Run")
        wait_for(other, RUNNING)
    assert run(tab, Steps=8), "400 steps were not waited for"


def test_on_a_phone(tab, studio):
    visit(tab, studio, width=390)
    assert tab.value("document.documentElement.scrollWidth") <= 390
    run(tab, Steps=8)
    assert tab.value("document.documentElement.scrollWidth") <= 390
    assert tab.value("document.querySelector('.nv-stage').getBoundingClientRect().right") <= 390


def test_nothing_left_the_machine(studio):
    assert studio.process.poll() is None and LEFT not in studio.said(), studio.said()
    assert "Traceback" not in studio.said().replace("gradio.exceptions.Error", ""), studio.said()


def test_gradio_is_imported_only_when_the_page_is_opened():
    script = "import sys, navicache, navicache.cli, navicache.cli.studio.answers; sys.exit('gradio' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode == 0
