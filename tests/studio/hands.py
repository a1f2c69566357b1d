"""A browser's hands and eyes on the studio's page."""

import re
import time

LIMIT = 300  # seconds; most waits need one of them, or ten on a slow machine
TEXT = "(name => [...document.querySelectorAll('button')].find(b => b.textContent.trim().startsWith(name)))"
FIELD = '(name => document.querySelector(`input[aria-label="${name}"]`))'
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
TILES = "[...document.querySelectorAll('.nv-tiles b')].map(b => b.textContent)"
LIVE = "document.querySelector('#nv-live').innerText"
DONE = f"{LIVE}.startsWith('Done')"
RUNNING = f"/step [1-9]/.test({LIVE})"
# What is to be seen while a run goes on: words, squares of both kinds and all, the bar in percent, the picture's width.
GLANCE = """(() => {
    const live = document.querySelector('#nv-live'), count = what => live.querySelectorAll('.nv-strip ' + what).length;
    return [live.querySelector('b')?.textContent ?? '', live.querySelector('span')?.textContent ?? '',
            count('.nv-c'), count('.nv-r'), count('i'), parseFloat(live.querySelector('.nv-bar i')?.style.width ?? 0),
            live.querySelector('.nv-latent')?.naturalWidth ?? 0];
})()"""


def visit(tab, studio, width=1200):
    """Open the page, with all fields in sight."""
    sizes = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    tab.call("Emulation.setDeviceMetricsOverride", **sizes)
    tab.call("Page.navigate", url=studio.address)
    wait_for(tab, f"!!({TEXT}('More') && document.querySelector('#nv-live p'))")
    press(tab, "More")
    wait_for(tab, f"!!{FIELD}('Steps')")


def press(tab, name):
    tab.value(f"{TEXT}('{name}').click()")


def write(tab, name, value):
    """Write into a field, again where a page that is still being built undoes it."""
    news = "for (const n of ['input', 'change', 'blur']) f.dispatchEvent(new Event(n, { bubbles: true }));"
    wait_for(
        tab,
        f"(async f => {{ f.value = {value}; {news} await {FRAMES}; return Number(f.value) === {value}; }})"
        f"({FIELD}('{name}'))",
    )


def put(tab, place, text):
    """Type a text and the Enter key, as a visitor does."""
    tab.value(f"(f => {{ f.focus(); f.select(); }})(document.querySelector('{place}'))")
    tab.call("Input.insertText", text=text)
    for kind in ("keyDown", "keyUp"):
        tab.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, text="\r")


def choose(tab, target):
    tab.value(f"document.querySelector('#nv-how input[value=\"{target}\"]').click()")


def point_at(tab, place):
    """The mouse itself over the middle of something."""
    found = f"document.querySelector('{place}')"
    tab.value(f"{found}.scrollIntoView({{ block: 'center' }})")
    x, y = tab.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({found}.getBoundingClientRect())")
    tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)


def wait_for(tab, script, seconds=LIMIT):
    end = time.monotonic() + seconds
    while not tab.value(script):
        assert time.monotonic() < end, f"never came true: {script}\n{tab.value('document.body.innerText')}"
        time.sleep(0.1)


def refused(tab, words):
    """A message with these words comes up, and no step was made."""
    wait_for(tab, f"[...document.querySelectorAll('.toast-body')].some(t => t.innerText.includes({words!r}))")
    return not re.search(r"step \d", live(tab)) and not tab.value("!!document.querySelector('.nv-tiles')")


def run(tab, **fields):
    """Run to the end; gives every glance at it, and a new one only where something is new."""
    for name, value in fields.items():
        write(tab, name, value)
    press(tab, "Run")
    return watch(tab)


def watch(tab):
    wait_for(tab, "document.querySelector('#nv-live b') !== null")
    seen, end = [], time.monotonic() + LIMIT
    while not tab.value(DONE):
        assert time.monotonic() < end, live(tab)
        seen.append(tuple(tab.value(GLANCE)))
        time.sleep(0.03)
    return list(dict.fromkeys(seen))


def doing(seen):
    return {glance[0] for glance in seen}


def live(tab):
    return tab.value(LIVE)


def others(tab, studio):
    """Everything the page asked of another machine, and every error of its console.

    Gradio's own streams say there that they were aborted, now and then, when the page is left or a run stopped.
    """
    expected = (f"fetched {studio.address}", "AbortError: signal is aborted")
    return [problem for problem in tab.problems if not any(words in problem for words in expected)]
