"""Prompts for the embedded models, and the few words that they know."""

import re

PROMPTS = (
    "a large red ball moving right in front of green hills",
    "a small yellow star rising and a large blue ring falling in front of a night sky",
    "a large cyan striped cube spinning in front of a sunset, camera zooming in",
    "a small purple dotted cross circling in front of a checkered floor",
)
WORDS = """
, a and ball blue bouncing camera checkered circling cross cube cyan dotted falling floor front green growing hills in
large left moving night of orange panning pink purple red right ring rising shrinking sky small spinning standing star
still striped sunset triangle wall yellow zooming
"""
VOCABULARY = tuple(WORDS.split())


def find_unknown_words(prompt: str) -> list[str]:
    """The words of a prompt that no embedded model was trained on, in order.

    Example:
        >>> find_unknown_words("A red dog, rising")
        ['dog']
    """
    return [word for word in re.findall(r"\w+|[^\w\s]+", prompt.lower()) if word not in VOCABULARY]
