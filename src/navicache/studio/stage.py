"""The markup of the videos: three views of one video, so that they cannot get out of step."""

from html import escape

import numpy as np

from navicache.generation.media import Media
from navicache.generation.results import PromptResult
from navicache.report.side_by_side import AMPLIFIED, amplify_difference
from navicache.report.video import encode_video
from navicache.studio.pictures import png_address, to_base64
from navicache.studio.sound import sound_html

PLAYER = (
    '<button class="nv-play" aria-label="play or pause">❚❚</button>'
    '<input class="nv-scrub" type="range" min="0" max="1" step="any" value="0" aria-label="time">'
)
VIEW = "<canvas></canvas><figcaption>"
WIPE = '<input class="nv-wipe" type="range" min="0" max="100" value="50" step="any" aria-label="no cache or cached">'
HEAR = '<button class="nv-hear">Sound: off</button>'
MODE = '<button class="nv-mode">Slide one over the other</button>'
SCALES = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)  # of the difference
SHOWN_SHARE = 0.999  # of the pixels: a few of the largest differences may be clipped


def stage_html(made: PromptResult, fps: int) -> str:
    """The players of a result."""
    plain, cached = made.pair.plain or made.pair.cached, made.pair.cached
    named = ("plain", "no cache", plain), ("cached", made.policy, cached)
    views = (
        f'<figure class="nv-{name}">{VIEW}{escape(words)} · {take.call_seconds:.1f} s</figcaption></figure>'
        for name, words, take in named
    )
    times = choose_scale(plain.media.frames, cached.media.frames)
    sounds = sound_html(plain.media, "no cache") + sound_html(cached.media, "cached")
    controls = (PLAYER if plain.media.is_video else "") + (HEAR if sounds else "") + MODE
    return (
        f'<div class="nv-stage" data-mode="side">{_reel_html(plain.media, cached.media, fps, times)}'
        f'<div class="nv-pair">{"".join(views)}{WIPE}</div><figure class="nv-difference">{VIEW}<label>difference × '
        f'<input class="nv-times" type="number" min="1" max="100" value="{times:g}"></label></figcaption></figure>'
        f'<div class="nv-controls">{controls}</div>{sounds}</div>'
    )


def choose_scale(plain: np.ndarray, cached: np.ndarray) -> float:
    """The largest factor with which the difference stays within what a screen can show.

    Example:
        >>> choose_scale(np.zeros((1, 8, 8, 3)), np.full((1, 8, 8, 3), 0.03))
        20.0
    """
    largest = float(np.quantile(np.abs(plain - cached), SHOWN_SHARE))
    if not largest:
        return AMPLIFIED
    return max((scale for scale in SCALES if scale * largest <= 1), default=SCALES[0])


def _reel_html(plain: Media, cached: Media, fps: int, times: float) -> str:
    """Both outputs and their exact difference in one video; compressed videos would differ by compression too."""
    difference = amplify_difference(plain.frames, cached.frames, times)
    frames = np.concatenate([plain.frames, cached.frames, difference], axis=2)
    if not plain.is_video:
        return f'<img class="nv-reel" alt="" src="{png_address(frames[0])}">'
    return f'<video class="nv-reel" data-mp4="{to_base64(encode_video(frames, fps))}" muted playsinline loop></video>'
