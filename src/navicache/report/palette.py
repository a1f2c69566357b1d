"""A colour and a marker for each policy, after Okabe and Ito, readable on light and dark pages."""

import colorsys

from navicache.policies import POLICIES

COLOURS = (
    *("#2a7fc9", "#e0622b", "#12996f", "#b0569b", "#7a5bd0", "#c2384d", "#1c98a6"),
    *("#7f9a26", "#d07f9a", "#4c6fae", "#3f8f4f", "#c28a00", "#9c6b3f", "#8f4f6f"),
    *("#6a7f8c", "#a0402c"),
)
MARKS = ("o", "D", "s", "^", "P", "p", "h", "<", ">", "d", "H", "v", "X", "8")
NO_CACHE_COLOUR = "#8a8f98"
GOLDEN_TURN = 0.618  # of the colour circle: later policies get hues far from each other


def policy_colour(policy: str) -> str:
    """The colour of a policy; grey without a cache.

    Example:
        >>> policy_colour("navicache"), policy_colour("none")
        ('#2a7fc9', '#8a8f98')
    """
    return number_colour(_policy_index(policy)) if policy in POLICIES else NO_CACHE_COLOUR


def policy_marker(policy: str) -> str:
    """The Matplotlib marker of a policy."""
    return MARKS[_policy_index(policy) % len(MARKS)] if policy in POLICIES else "*"


def number_colour(number: int) -> str:
    """The colour of the policy with this number in the catalog; generated past the chosen ones."""
    if number < len(COLOURS):
        return COLOURS[number]
    red, green, blue = colorsys.hls_to_rgb(number * GOLDEN_TURN % 1, 0.45, 0.5)
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))


def _policy_index(policy: str) -> int:
    return list(POLICIES).index(policy)
