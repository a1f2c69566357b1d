"""What a call has queued on the device."""

import pytest
from tests.engine.toys.parts import arrived

from navicache.engine.sites.call_readings import NO_READINGS, CallReadings


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
    assert CallReadings(False, is_latent_measured=looked, latent_change=reading).is_latent_unchanged == unchanged


def test_nothing_asked_crosses_nothing():
    assert not NO_READINGS.needs_transfer
    assert not NO_READINGS.includes_pending
    assert NO_READINGS.readings == ()
