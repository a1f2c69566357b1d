"""No test here sees the weights of the machine, unless it takes them by their path."""

import pytest
from tests.support.weights import home as home
from tests.support.weights import weights as weights


@pytest.fixture(autouse=True)
def no_weights(home):
    """No weights are installed."""
