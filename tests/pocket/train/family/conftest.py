"""Every member in miniature."""

import pytest
import torch
from tests.pocket.train.family.small import SMALL


@pytest.fixture(params=[*SMALL])
def recipe(request):
    """Of each member by turns, with the same fresh weights."""
    torch.manual_seed(0)
    return SMALL[request.param]
