"""LPIPS of many small videos: the network stays loaded, in float32, on the device that made them.

`navicache.evaluation.lpips` loads it for every video, which takes longer than a small video, and measures in double
precision on a GPU.
"""

import torch
from torch import Tensor

from navicache.evaluation.lpips_weights import load
from navicache.evaluation.perceptual import LpipsNetwork


def load_network(device: torch.device) -> LpipsNetwork:
    """The network of the pocket package, on a device."""
    return LpipsNetwork(load(None)).to(device)


def measure_lpips(network: LpipsNetwork, reference: Tensor, video: Tensor) -> float:
    """Mean over the frames of two clips (frames, height, width, 3) in [0, 1] on the device of the network."""
    first, second = (clip.movedim(-1, 1).contiguous() for clip in (reference, video))
    with torch.no_grad(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):  # three digits are too few
        return network(first, second).double().mean().item()
