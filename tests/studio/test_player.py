"""The page's script in a real browser, without Gradio: pictures and sound in step, and the clock of the live view."""

from dataclasses import replace
from importlib.resources import files

import pytest
from tests.evaluation.sounds import tone
from tests.studio.hands import FRAMES
from tests.support.takes import clip, take, trace

from navicache.generation.results import PromptResult
from navicache.generation.timed_calls import PromptRuns
from navicache.studio.live import live_html
from navicache.studio.monitor import RunProgress
from navicache.studio.stage import stage_html

FPS, SECONDS = 8, 2
SOON = 1.5 * SECONDS  # some rounds later, a sound that does not follow may be in step by chance
REEL = "document.querySelector('.nv-reel')"
PLAYING = "[...document.querySelectorAll('.nv-sound')].filter(sound => !sound.paused).map(sound => sound.dataset.name)"
APART = f"""Math.max(...[...document.querySelectorAll('.nv-sound')].filter(sound => !sound.paused)
    .map(sound => Math.abs(sound.currentTime - {REEL}.currentTime)))"""
HEAR = "document.querySelector('.nv-hear')"


def open_markup(tab, folder, markup):
    own = files("navicache.studio")
    script, style = ((own / name).read_text("utf-8") for name in ("page.js", "page.css"))
    page = folder / "page.html"
    page.write_text(f"<style>{style}</style><body>{markup}<script>{script}</script></body>", "utf-8")
    tab.open(page)


@pytest.fixture
def player(tab, tmp_path):
    media = replace(clip(frames=FPS * SECONDS), sound=tone(samples=16000 * SECONDS))
    made = PromptResult("a ball", PromptRuns(take(media), trace("Cr"), "", take(media)), {}, None)
    open_markup(tab, tmp_path, stage_html(made, FPS))
    tab.until(f"{REEL}.currentTime > 0")
    return tab


def hear(tab, name):
    tab.value(f"{HEAR}.click()")
    assert tab.value(f"{HEAR}.textContent") == f"Sound: {name}"


def test_nothing_is_heard_until_it_is_asked_for(player):
    assert player.value(PLAYING) == [] and player.value(f"{HEAR}.textContent") == "Sound: off"


def test_one_sound_at_a_time_goes_with_the_video(player):
    for name in ("no cache", "cached"):
        hear(player, name)
        player.until(f"{PLAYING}.join() === {name!r} && {APART} < 0.1")
    player.value(f"{REEL}.currentTime = {SECONDS - 0.3}")
    player.until(f"{REEL}.currentTime < 1")  # it begins again
    player.until(f"{PLAYING}.join() === 'cached' && {APART} < 0.1", SOON)
    hear(player, "off")
    player.until(f"{PLAYING}.length === 0")


def test_the_sound_stops_and_moves_with_the_video(player):
    hear(player, "no cache")
    player.until(f"{PLAYING}.length === 1")
    player.value("document.querySelector('.nv-play').click()")
    player.until(f"{REEL}.paused && {PLAYING}.length === 0")
    scrub = "document.querySelector('.nv-scrub')"
    player.value(f"{scrub}.value = 0.5; {scrub}.dispatchEvent(new Event('input', {{ bubbles: true }}))")
    player.value("document.querySelector('.nv-play').click()")
    player.until(f"{PLAYING}.length === 1 && {REEL}.currentTime > 1 && {APART} < 0.1", SOON)


def test_the_clock_goes_on_and_counts_no_second_twice(tab, tmp_path):
    open_markup(tab, tmp_path, f'<div id="nv-live">{live_html(RunProgress(seconds=100.0))}</div>')
    clock = "document.querySelector('.nv-clock')"
    tab.until(f"{clock}.textContent === '1 min 42 s'")
    tab.value(f"{clock}.dataset.gone = '102.0'")  # Gradio keeps the element of the update before
    tab.value(FRAMES)
    assert tab.value(f"{clock}.textContent") in ("1 min 42 s", "1 min 43 s")
