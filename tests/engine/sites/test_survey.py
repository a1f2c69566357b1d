"""What a call has queued on the device."""

import pytest
from tests.engine.toys.parts import arrived

from navicache.engine.sites.survey import NOTHING_ASKED, Survey


@pytest.mark.parametrize(
    ("looked", "moved", "unchanged"),
    [
        (False, None, True),
        (True, None, False),
        (True, (0, 0), True),
        (True, (0, 1e-9), False),
        (True, (float("nan"),), False),
    ],
    ids=["not looked at", "certain", "to the bit", "one row has moved", "not a number"],
)
def test_a_latent_is_unchanged_where_nothing_says_otherwise(looked, moved, unchanged):
    reading = None if moved is None else arrived(*moved)
    assert Survey(False, looked=looked, moved=reading).unchanged == unchanged


def test_nothing_asked_crosses_nothing():
    assert not NOTHING_ASKED.crosses
    assert not NOTHING_ASKED.learns
    assert NOTHING_ASKED.readings == ()
