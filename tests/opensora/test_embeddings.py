"""From patches and back."""

from __future__ import annotations

import torch

from navicache_opensora.embeddings import PatchEmbedder, unpatchify


def test_patches_come_back_where_they_were() -> None:
    video = torch.arange(2 * 3 * 4 * 6, dtype=torch.float32).reshape(1, 2, 3, 4, 6)
    tokens = video.unflatten(4, (3, 2)).unflatten(3, (2, 2)).permute(0, 2, 3, 5, 4, 6, 1).reshape(1, 18, 8)
    assert torch.equal(unpatchify(tokens, (3, 2, 3), (1, 2, 2)), video)
    assert PatchEmbedder((1, 2, 2), 2, 5)(video[..., :5]).shape == (1, 18, 5)
