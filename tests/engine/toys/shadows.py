"""What the tests of shadow mode share."""

import pytest

from navicache.policies import Static

BOTH = pytest.mark.parametrize("shadow", ["cached", "full"])
EVERY_THIRD = Static(interval=3, last_step=False)
