"""What a visitor takes along from a result: the line of code, the video and the trace."""

import json
from html import escape
from typing import Any

from navicache.generation.job import CacheSettings, GenerationJob
from navicache.generation.media import Media
from navicache.generation.results import PromptResult
from navicache.report.side_by_side import join_panels
from navicache.report.video import encode_video
from navicache.studio.pictures import png_bytes, to_base64


def take_away_html(made: PromptResult, job: GenerationJob) -> str:
    """The line of code with a button that copies it, and buttons that save files."""
    cached, plain = made.pair.cached.media, (made.pair.plain or made.pair.cached).media
    both = Media(join_panels({"no cache": plain.frames, made.policy: cached.frames}), cached.is_video)
    buttons = [
        save_button(f"Save {media.name}{words}", f"{name}{media.suffix}", encode_media(media, job.fps))
        for words, name, media in (("", f"cached-{cached.name}", cached), (" of both", "side-by-side", both))
    ]
    buttons.append(save_button("Save trace", "trace.json", made.pair.trace.to_json().encode()))
    return f'<section class="nv-take">{code_html(format_enable(job.caching))}<p>{"".join(buttons)}</p></section>'


def format_enable(caching: CacheSettings) -> str:
    """The line of code that turns on the same cache.

    Example:
        >>> format_enable(CacheSettings(knobs={"speedup": 2.5}))
        'cache = navicache.enable(pipe, speedup=2.5)'
        >>> format_enable(CacheSettings(quality="high"))
        'cache = navicache.enable(pipe, quality="high")'
    """
    named: dict[str, Any] = {"mode": caching.mode, "quality": caching.quality}
    named["settings"] = None if caching.settings is None else str(caching.settings)
    given = {name: value for name, value in named.items() if value is not None} | dict(caching.knobs)
    first = [] if caching.policy is None else [json.dumps(caching.policy)]
    words = ["pipe", *first, *(f"{name}={json.dumps(value)}" for name, value in given.items())]
    return f"cache = navicache.enable({', '.join(words)})"


def code_html(code: str) -> str:
    """Code with a button that copies it."""
    return f'<p class="nv-code"><code>{escape(code)}</code><button class="nv-copy">Copy</button></p>'


def save_button(words: str, name: str, data: bytes) -> str:
    """A button that saves a file which the page already holds."""
    return f'<button class="nv-save" data-name="{escape(name)}" data-bytes="{to_base64(data)}">{escape(words)}</button>'


def encode_media(media: Media, fps: int) -> bytes:
    """A video with its sound as MP4, an image as PNG."""
    return encode_video(media.frames, fps, media.sound) if media.is_video else png_bytes(media.frames[0])
