"""Prompts in the embedded model's few words."""

import re

PROMPTS = (
    "a large red ball moving right in front of green hills",
    "a small yellow star rising and a large blue ring falling in front of a night sky",
    "a large cyan striped cube spinning in front of a sunset, camera zooming in",
    "a small purple dotted cross circling in front of a checkered floor",
)


def unknown(prompt: str) -> list[str]:
    """The words of a prompt that the embedded model has never seen, in order.

    Example:
        >>> unknown("A red dog, rising")
        ['dog']
    """
    from navicache.pocket.world import vocabulary

    known = set(vocabulary())
    return [word for word in re.findall(r"\w+|[^\w\s]+", prompt.lower()) if word not in known]
