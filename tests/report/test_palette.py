"""One colour and mark a policy."""

from navicache.policies import POLICIES
from navicache.report.palette import COLOURS, NO_CACHE_COLOUR, policy_colour, policy_marker


def test_every_policy_has_a_colour_and_a_mark():
    known = {(policy_colour(policy), policy_marker(policy)) for policy in POLICIES}
    assert len(known) == len(POLICIES) <= len(COLOURS)
    assert policy_colour("none") == NO_CACHE_COLOUR != policy_colour("random")
