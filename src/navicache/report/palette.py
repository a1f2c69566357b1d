"""The colour and marker of each policy, the same in every picture and readable on light and on dark pages."""

import colorsys

from navicache.policies import POLICIES

COLOURS = (
    *("#2a7fc9", "#e0622b", "#12996f", "#b0569b", "#7a5bd0", "#c2384d", "#1c98a6"),
    *("#7f9a26", "#d07f9a", "#4c6fae", "#3f8f4f", "#c28a00", "#9c6b3f", "#8f4f6f"),
    *("#6a7f8c", "#a0402c"),
)
MARKS = ("o", "D", "s", "^", "P", "p", "h", "<", ">", "d", "H", "v", "X", "8")
NOTHING = "#8a8f98"  # no cache


GOLDEN_TURN = 0.618  # of the colour circle: later policies get hues far from each other


def colour(policy: str) -> str:
    """The colour of a policy; grey for a run without a cache.

    Example:
        >>> colour("navicache"), colour("none")
        ('#2a7fc9', '#8a8f98')
    """
    return _numbered_colour(_catalog_number(policy)) if policy in POLICIES else NOTHING


def mark(policy: str) -> str:
    """Matplotlib's marker of a policy, for readers who see no colours."""
    return MARKS[_catalog_number(policy) % len(MARKS)] if policy in POLICIES else "*"


def _numbered_colour(number: int) -> str:
    """One of the chosen colours; past their end a generated one, so that a new policy needs no entry here."""
    if number < len(COLOURS):
        return COLOURS[number]
    red, green, blue = colorsys.hls_to_rgb(number * GOLDEN_TURN % 1, 0.45, 0.5)
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))


def _catalog_number(policy: str) -> int:
    return list(POLICIES).index(policy)
