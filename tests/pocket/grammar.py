"""Captions read back into words by a pattern of their own, so that the grammar is not tested against itself."""

import re

from navicache_pocket.world import words


def _any(names) -> str:
    return "(" + "|".join(names) + ")"


THING = f"a {_any(words.SIZES)} {_any(words.COLOURS)} (?:(striped|dotted) )?{_any(words.SHAPES)} {_any(words.MOTIONS)}"
CAPTION = re.compile(
    f"(?P<first>{THING})(?: and (?P<second>{THING}))? in front of (?P<background>{'|'.join(words.BACKGROUNDS)})"
    f"(?:, camera (?P<camera>{'|'.join(words.CAMERAS[1:])}))?"
)


def parse(caption: str) -> re.Match[str]:
    """The caption's parts; fails where it is not of the grammar."""
    match = CAPTION.fullmatch(caption)
    assert match, caption
    return match


def thing(phrase: str) -> tuple[str, str, str, str, str]:
    """Size, colour, texture, shape and motion of an object's phrase."""
    match = re.fullmatch(THING, phrase)
    assert match, phrase
    size, colour, texture, shape, motion = match.groups()
    return size, colour, texture or "plain", shape, motion
