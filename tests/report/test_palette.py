"""One colour and mark a policy."""

from navicache.policies import POLICIES
from navicache.report.palette import COLOURS, NOTHING, _numbered_colour, colour, mark


def test_every_policy_has_a_colour_and_a_mark():
    known = {(colour(policy), mark(policy)) for policy in POLICIES}
    assert len(known) == len(POLICIES)
    assert colour("none") == NOTHING != colour("random")


def test_colours_go_on_past_the_chosen_ones():
    later = [_numbered_colour(len(COLOURS) + more) for more in range(20)]
    assert len({*later, *COLOURS}) == 20 + len(COLOURS)
    assert all(len(found) == 7 and int(found[1:], 16) >= 0 for found in later)
