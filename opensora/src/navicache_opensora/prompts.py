"""Prompts in the form of the training captions: scores appended, cleaned, one text for each loop."""

import json
import re
import warnings
from dataclasses import dataclass
from typing import Any

SEGMENT_MARK = re.compile(r"\|(\d+)\|")


@dataclass(frozen=True)
class PromptScores:
    """Scores that are appended to a prompt; None appends nothing."""

    aesthetic: float | None = 6.5
    motion: float | None = None
    camera_motion: str | None = None


def append_scores(prompt: str, scores: PromptScores) -> str:
    """Append each score that the prompt does not contain already.

    Example:
        >>> append_scores("Sunset over the sea.", PromptScores(motion=2))
        'Sunset over the sea. aesthetic score: 6.5. motion score: 2.0.'
    """
    suffixes = {
        "aesthetic score:": None if scores.aesthetic is None else f"{scores.aesthetic:.1f}",
        "motion score:": None if scores.motion is None else f"{scores.motion:.1f}",
        "camera motion:": scores.camera_motion,
    }
    suffix = [f" {marker} {value}." for marker, value in suffixes.items() if value is not None and marker not in prompt]
    return prompt + "".join(suffix)


def clean_caption(prompt: str) -> str:
    """Clean a prompt like the training captions: the cleaning of PixArt, applied twice."""
    from diffusers.pipelines.pixart_alpha.pipeline_pixart_alpha import PixArtAlphaPipeline

    try:
        from bs4 import MarkupResemblesLocatorWarning
    except ImportError as error:
        raise ImportError(
            "cleaning prompts needs beautifulsoup4: run `pip install beautifulsoup4`, or pass clean_caption=False"
        ) from error
    clean_once: Any = PixArtAlphaPipeline._clean_caption
    with warnings.catch_warnings():
        # A prompt such as sunset.html looks like a file name.
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        return clean_once(PixArtAlphaPipeline, clean_once(PixArtAlphaPipeline, prompt))


@dataclass(frozen=True)
class ParsedPrompt:
    """A prompt and the fields of the JSON object at its end."""

    prompt: str
    mask_strategy: str | None = None
    reference_path: str | None = None


def parse_prompt(text: str) -> ParsedPrompt:
    """Split a prompt from the JSON object at its end, if it has one.

    Example:
        >>> parse_prompt('a boat {"mask_strategy": "0"}')
        ParsedPrompt(prompt='a boat ', mask_strategy='0', reference_path=None)
    """
    prompt, brace, tail = text.partition("{")
    if not brace:
        return ParsedPrompt(text)
    try:
        fields = json.loads(brace + tail)
    except ValueError as error:
        raise ValueError(
            f'what follows the first {{ in a prompt must be JSON such as {{"mask_strategy": "0"}}, got {tail!r}'
        ) from error
    return ParsedPrompt(prompt, fields.get("mask_strategy"), fields.get("reference_path"))


def split_segments(prompt: str) -> dict[int, str]:
    """The texts of a long video by the first loop that uses them; a plain prompt is used from loop 0.

    Example:
        >>> split_segments("|0| a calm sea |2| a storm")
        {0: 'a calm sea', 2: 'a storm'}
        >>> split_segments("plain | prompt")
        {0: 'plain | prompt'}
    """
    if not prompt.lstrip().startswith("|0|"):
        return {0: prompt}
    _, *pieces = SEGMENT_MARK.split(prompt)
    numbers, texts = [int(number) for number in pieces[::2]], [text.strip() for text in pieces[1::2]]
    if numbers != sorted(set(numbers)):
        raise ValueError(f"the segments of a prompt must be in order and each once, got {numbers}")
    return dict(zip(numbers, texts, strict=True))


def merge_segments(segments: dict[int, str]) -> str:
    """Join segments to one prompt; the inverse of `split_segments`."""
    return segments[0] if list(segments) == [0] else "".join(f"|{number}|{text}" for number, text in segments.items())


def select_segment(segments: dict[int, str], loop: int) -> str:
    """The text that a loop uses: the last segment that starts at or before it."""
    return segments[max(number for number in segments if number <= loop)]


def prepare_prompt(prompt: str, scores: PromptScores, clean: bool = True) -> dict[int, str]:
    """Split a prompt into segments, append the scores to each, and clean each."""
    scored = {number: append_scores(text, scores) for number, text in split_segments(prompt).items()}
    return {number: clean_caption(text) for number, text in scored.items()} if clean else scored
