"""One colour and mark a policy."""

from navicache.policies import POLICIES
from navicache.report.palette import COLOURS, NOTHING, colour, mark


def test_every_policy_has_a_colour_and_a_mark():
    known = {(colour(policy), mark(policy)) for policy in POLICIES}
    assert len(known) == len(POLICIES) <= len(COLOURS)
    assert colour("none") == NOTHING != colour("random")
