"""How the page looks: on a phone nothing sticks out, and small letters can be read, by day and by night."""

import time

import pytest
from tests.studio.hands import DONE, FRAMES, LIMIT, LIVE, RUNNING, live, press, put, run, visit, wait_for, write
from tests.studio.served import NEEDED

from navicache import Trace

pytestmark = [*NEEDED, pytest.mark.usefixtures("alone")]
PHONE = 375
TOP = "document.querySelector('#nv-live').getBoundingClientRect().top"
OFF = "['run', 'stop'].map(name => document.querySelector('button#nv-' + name).disabled)"
STOP = "document.querySelector('button#nv-stop').getBoundingClientRect()"
GREY = "getComputedStyle(document.querySelector('.nv-result')).opacity"
# Whatever ends to the right of the screen, unless it lies in a box of its own that scrolls.
OUT = """(() => {
    const scrolls = box => box && (/auto|scroll/.test(getComputedStyle(box).overflowX) || scrolls(box.parentElement));
    const out = box => box.width > 0 && box.height > 0 && box.right > innerWidth + 0.5;
    return [...document.querySelectorAll('body *:not(.sr-only)')]
        .filter(each => out(each.getBoundingClientRect()) && !scrolls(each.parentElement))
        .map(each => each.outerHTML.slice(0, 200));
})()"""
FULL = (
    "[...document.querySelectorAll('.nv-tiles div')].filter(t => t.scrollWidth > t.clientWidth).map(t => t.innerText)"
)
# Every text whose contrast with what lies under it is below 4.5, as WCAG reckons it.
PALE = """(() => {
    const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = colour => {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
        return pen.getImageData(0, 0, 1, 1).data;
    };
    const linear = v => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
    const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05;
    const under = each => {
        const colour = rgba(getComputedStyle(each).backgroundColor);
        return colour[3] || !each.parentElement ? colour : under(each.parentElement);
    };
    const ratio = each => {
        const [one, other] = [light(rgba(getComputedStyle(each).color)), light(under(each))];
        return Math.max(one, other) / Math.min(one, other);
    };
    const texts = [...document.querySelectorAll('.gradio-container *')].filter(each =>
        each.checkVisibility() && [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
    const pale = texts.filter(each => ratio(each) < 4.5);
    return [texts.length, pale.map(each => ratio(each).toFixed(2) + ' ' + each.outerHTML.slice(0, 150))];
})()"""


def test_on_a_phone(tab, studio):
    visit(tab, studio, width=PHONE)
    assert tab.value("innerWidth") == PHONE and tab.value(OUT) == []
    run(tab, Steps=30)
    assert tab.value(OUT) == [] and tab.value("document.documentElement.scrollWidth") <= PHONE
    tab.value("document.querySelector('.nv-mode').click()")
    assert tab.value(OUT) == []


def test_figures_stay_in_their_tiles_at_any_width(tab, studio):
    visit(tab, studio)
    run(tab, Steps=40)
    tab.value("document.querySelectorAll('.nv-tiles b')[1].textContent = '1234.5 → 567.8'")  # of a large model
    for width in (320, PHONE, 700, 780, 970, 1020, 1200, 1800):
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        assert tab.value(f"(async () => {{ await {FRAMES}; return {FULL}; }})()") == [], width
        assert tab.value(OUT) == [], width


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_letters_can_be_read(tab, studio, colours):
    tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": colours}])
    visit(tab, studio)
    run(tab, Steps=6)
    count, pale = tab.value(PALE)
    assert count > 40 and pale == []


def test_the_live_view_comes_into_sight_and_the_old_result_is_grey(tab, studio):
    visit(tab, studio, width=PHONE)
    write(tab, "Steps", 60)
    press(tab, "Run")
    wait_for(tab, f"{RUNNING} && {TOP} >= 0 && {TOP} < 100")
    assert tab.value(OFF) == [True, False], "Run is off while it runs"
    wait_for(tab, f"{STOP}.top > 0 && {STOP}.bottom < innerHeight")  # it follows where the fields have left the screen
    wait_for(tab, rf"/\d+ s · about \d+ (min \d+ )?s left/.test({LIVE})")  # once a step has been timed
    wait_for(tab, DONE)
    wait_for(tab, "!!document.querySelector('.nv-result')")
    assert tab.value(OFF) == [False, True] and tab.value(GREY) == "1"
    put(tab, "#nv-ask textarea", "a red horse")
    wait_for(tab, f"{GREY} === '0.4'")
    assert "horse" in live(tab), "the reason stays on the page"


def test_many_steps_take_little_room_on_a_phone(tab, studio):
    visit(tab, studio, width=PHONE)
    write(tab, "Steps", 900)
    press(tab, "Run")
    wait_for(tab, RUNNING)
    assert tab.value("document.querySelector('#nv-live .nv-strip').getBoundingClientRect().height") < 500
    press(tab, "Stop")
    wait_for(tab, f"{LIVE}.startsWith('Stopped')")  # or the next page cuts it off


def test_the_line_of_code_is_copied_and_files_are_saved(tab, studio, tmp_path):
    visit(tab, studio)
    run(tab, Steps=6)
    tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    for words in ("Save video", "Save trace"):
        press(tab, words)
    press(tab, "Copy")
    wait_for(tab, "/Copied|Selected/.test(document.querySelector('.nv-copy').textContent)")
    assert tab.value("getSelection().toString()") == "cache = navicache.enable(pipe, speedup=2)"
    end = time.monotonic() + LIMIT
    while {file.name for file in tmp_path.iterdir()} != {"cached-video.mp4", "trace.json"}:
        assert time.monotonic() < end, list(tmp_path.iterdir())
        time.sleep(0.1)
    assert Trace.load(tmp_path / "trace.json").runs[0].computed == 3
