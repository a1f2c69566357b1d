"""How the latent lies in input and output."""

import pytest
import torch

from navicache.engine import CannotCache
from navicache.engine.tensors.shared_channels import SharedChannels, find_shared_channels


def test_what_does_not_fit_is_refused():
    with pytest.raises(CannotCache, match="means nothing"):
        find_shared_channels((torch.zeros(1, 4, 8),), (torch.zeros(1, 5, 9),))
    with pytest.raises(CannotCache, match="means nothing"):
        find_shared_channels((torch.zeros(1, 4, 8),), (torch.zeros(1, 4),))
    assert find_shared_channels((torch.zeros(1, 4, 8),), (torch.zeros(1, 4, 8),)) == SharedChannels()
    assert find_shared_channels((torch.zeros(1, 36, 8),), (torch.zeros(1, 16, 8),)) == SharedChannels(1, 16)
