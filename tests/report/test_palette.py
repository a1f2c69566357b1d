"""Each policy has its colour and marker."""

from navicache.policies import POLICIES
from navicache.report.palette import COLOURS, NO_CACHE_COLOUR, number_colour, policy_colour, policy_marker


def test_every_policy_has_a_colour_and_a_mark():
    known = {(policy_colour(policy), policy_marker(policy)) for policy in POLICIES}
    assert len(known) == len(POLICIES)
    assert policy_colour("none") == NO_CACHE_COLOUR != policy_colour("random")


def test_colours_go_on_past_the_chosen_ones():
    later = [number_colour(len(COLOURS) + more) for more in range(20)]
    assert len({*later, *COLOURS}) == 20 + len(COLOURS)
    assert all(len(found) == 7 and int(found[1:], 16) >= 0 for found in later)
