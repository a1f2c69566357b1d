"""Prompts as the model was trained on them: scores appended, captions cleaned, one text for each part of a video."""

import json
import re
import warnings
from dataclasses import dataclass
from typing import Any

SEGMENT = re.compile(r"\|(\d+)\|")


@dataclass(frozen=True)
class Scores:
    """What is said about a video at the end of its prompt; None says nothing."""

    aesthetic: float | None = 6.5
    motion: float | None = None
    camera_motion: str | None = None


def with_scores(prompt: str, scores: Scores) -> str:
    """The prompt with each score it does not name already.

    Example:
        >>> with_scores("Sunset over the sea.", Scores(motion=2))
        'Sunset over the sea. aesthetic score: 6.5. motion score: 2.0.'
    """
    motion = scores.motion
    suffixes = {
        "aesthetic score:": None if scores.aesthetic is None else f"{scores.aesthetic:.1f}",
        "motion score:": None if motion is None else f"{motion:.1f}",
        "camera motion:": scores.camera_motion,
    }
    said = [f" {marker} {value}." for marker, value in suffixes.items() if value is not None and marker not in prompt]
    return prompt + "".join(said)


def clean(prompt: str) -> str:
    """The caption cleaning of the training data, which was applied twice; diffusers has it in its PixArt pipeline."""
    from diffusers.pipelines.pixart_alpha.pipeline_pixart_alpha import PixArtAlphaPipeline

    try:
        from bs4 import MarkupResemblesLocatorWarning
    except ImportError as error:
        raise ImportError(
            "cleaning prompts needs beautifulsoup4: run `pip install beautifulsoup4`, or pass clean_caption=False"
        ) from error
    once: Any = PixArtAlphaPipeline._clean_caption
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)  # a prompt may be one word with a dot in it
        return once(PixArtAlphaPipeline, once(PixArtAlphaPipeline, prompt))


@dataclass(frozen=True)
class Request:
    """A prompt and what its JSON tail asked for."""

    prompt: str
    mask_strategy: str | None = None
    reference_path: str | None = None


def split_request(text: str) -> Request:
    """A prompt and its JSON tail, where it has one.

    Example:
        >>> split_request('a boat {"mask_strategy": "0"}')
        Request(prompt='a boat ', mask_strategy='0', reference_path=None)
    """
    prompt, brace, tail = text.partition("{")
    if not brace:
        return Request(text)
    try:
        fields = json.loads(brace + tail)
    except ValueError as error:
        raise ValueError(
            f'what follows the first {{ in a prompt must be JSON such as {{"mask_strategy": "0"}}, got {tail!r}'
        ) from error
    return Request(prompt, fields.get("mask_strategy"), fields.get("reference_path"))


def segments(prompt: str) -> dict[int, str]:
    """The text from each part of a long video on; a plain prompt holds from part 0.

    Example:
        >>> segments("|0| a calm sea |2| a storm")
        {0: 'a calm sea', 2: 'a storm'}
        >>> segments("plain | prompt")
        {0: 'plain | prompt'}
    """
    if not prompt.lstrip().startswith("|0|"):
        return {0: prompt}
    _, *pieces = SEGMENT.split(prompt)
    numbers, texts = [int(number) for number in pieces[::2]], [text.strip() for text in pieces[1::2]]
    if numbers != sorted(set(numbers)):
        raise ValueError(f"the parts of a prompt must be in order and each once, got {numbers}")
    return dict(zip(numbers, texts, strict=True))


def merge(parts: dict[int, str]) -> str:
    """Segments as one prompt again; a plain prompt stays plain."""
    return parts[0] if list(parts) == [0] else "".join(f"|{number}|{text}" for number, text in parts.items())


def prompt_of(parts: dict[int, str], loop: int) -> str:
    """The text that holds in one part of a long video."""
    return parts[max(number for number in parts if number <= loop)]


def prepare(prompt: str, scores: Scores, cleaned: bool = True) -> dict[int, str]:
    """Segments with their scores, cleaned one by one."""
    scored = {number: with_scores(text, scores) for number, text in segments(prompt).items()}
    return {number: clean(text) for number, text in scored.items()} if cleaned else scored
