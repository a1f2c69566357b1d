"""Several visitors of one page: a line, stops, and nothing that piles up."""

import time

import pytest
from tests.report.browser import browser
from tests.studio.hands import DONE, LIMIT, LIVE, RUNNING, TILES, live, press, run, visit, wait_for, write
from tests.studio.served import NEEDED

pytestmark = [*NEEDED, pytest.mark.usefixtures("alone")]
LONG = 1000  # steps that no test waits for
STOPPED = f"{LIVE}.startsWith('Stopped')"
# The place in line is to be seen: in a box that has room for it.
WAITING = """(text => {
    if (!text || !/queue: \\d/.test(text.innerText)) return false;
    const box = text.getBoundingClientRect(), room = document.querySelector('#nv-live').getBoundingClientRect();
    return box.height > 10 && box.top >= room.top && box.bottom <= room.bottom && box.left === room.left;
})(document.querySelector('#nv-live .progress-text'))"""


def begin(tab, steps):
    write(tab, "Steps", steps)
    press(tab, "Run")


def line_up(tab, other, studio, steps):
    """One runs for long, and the other waits in line."""
    visit(other, studio)
    begin(tab, LONG)
    wait_for(tab, RUNNING)
    begin(other, steps)
    wait_for(other, WAITING)


def test_stopped_in_mid_run_and_run_again(tab, studio):
    visit(tab, studio)
    begin(tab, LONG)
    wait_for(tab, RUNNING)
    press(tab, "Stop")
    wait_for(tab, f"{STOPPED} && !document.querySelector('button#nv-run').disabled")
    press(tab, "Run")
    wait_for(tab, RUNNING)  # one click is enough as soon as the button takes it
    press(tab, "Stop")
    wait_for(tab, f"{STOPPED} && !document.querySelector('button#nv-run').disabled")
    assert run(tab, Steps=8) and tab.value(TILES)[2] == "4 of 8"


def test_two_visitors_at_once(tab, studio):
    visit(tab, studio)
    with browser() as other:
        line_up(tab, other, studio, 14)
        press(tab, "Stop")
        wait_for(tab, STOPPED)
        begin(tab, 10)
        for page, steps in ((other, 14), (tab, 10)):
            wait_for(page, DONE)
            assert page.value(TILES)[2] == f"{steps // 2} of {steps}", "each sees its own"


def test_one_who_waits_may_leave_the_line(tab, studio):
    visit(tab, studio)
    with browser() as other:
        line_up(tab, other, studio, LONG)
        press(other, "Stop")
        wait_for(other, STOPPED)
        before = live(tab)
        wait_for(tab, f"{RUNNING} && {LIVE} !== {before!r}")  # the other's stop is not one's own
        press(tab, "Stop")
        wait_for(tab, STOPPED)


def test_a_visitor_who_leaves_makes_room(tab, studio):
    visit(tab, studio)
    with browser() as other:
        visit(other, studio)
        begin(other, LONG)
        wait_for(other, RUNNING)
    assert run(tab, Steps=8), f"{LONG} steps were not waited for"


def test_nothing_piles_up(tab, studio):
    visit(tab, studio)
    run(tab, Steps=6)
    files, held = studio.files(), {what: studio.holds(what) for what in ("fd", "task")}
    for seed in range(1, 5):
        run(tab, Steps=6, Seed=seed)
        begin(tab, 60)
        wait_for(tab, RUNNING)
        press(tab, "Stop")
        wait_for(tab, STOPPED)
    assert studio.files() == files
    tab.call("Page.navigate", url="about:blank")  # connections are kept for a while, for the page's next question
    end = time.monotonic() + LIMIT
    while any(studio.holds(what) > before + 2 for what, before in held.items()):
        assert time.monotonic() < end, f"eight runs leave {studio.holds('fd')}, {studio.holds('task')} of {held}"
        time.sleep(0.5)
