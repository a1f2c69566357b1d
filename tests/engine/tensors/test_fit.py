"""How the latent lies in input and output."""

import pytest
import torch

from navicache.engine import CannotCache
from navicache.engine.tensors.fit import Fit, fit


def test_what_does_not_fit_is_refused():
    with pytest.raises(CannotCache, match="means nothing"):
        fit((torch.zeros(1, 4, 8),), (torch.zeros(1, 5, 9),))
    with pytest.raises(CannotCache, match="means nothing"):
        fit((torch.zeros(1, 4, 8),), (torch.zeros(1, 4),))
    assert fit((torch.zeros(1, 4, 8),), (torch.zeros(1, 4, 8),)) == Fit()
    assert fit((torch.zeros(1, 36, 8),), (torch.zeros(1, 16, 8),)) == Fit(1, 16)
