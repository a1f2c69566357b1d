"""LPIPS (Zhang et al., 2018), version 0.1 on AlexNet. Lower is better, 0 for identical clips."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from navicache.evaluation.frames import Clip, Device, choose_metric_dtype, score_frames, validate_clip_pair
from navicache.evaluation.lpips_weights import WeightsError, load

MIN_FRAME_SIDE = 31  # pixels: smaller frames are empty after AlexNet's stride of 4 and its two poolings

# Channels out, kernel, stride, padding: the five convolutions of torchvision's AlexNet.
CONVOLUTIONS = ((64, 11, 4, 2), (192, 5, 1, 2), (384, 3, 1, 1), (256, 3, 1, 1), (256, 3, 1, 1))
POOLED_LAYERS = (1, 2)  # the input of these two is pooled

# ImageNet's mean and deviation, in the authors' form for values in [-1, 1].
CHANNEL_SHIFT = (-0.030, -0.088, -0.188)
CHANNEL_SCALE = (0.458, 0.448, 0.450)
NORM_EPSILON = 1e-10  # the authors'; added to the norm, not under the root


class LpipsUnavailable(RuntimeError):
    """LPIPS cannot be measured here; the message says why and what to do."""


class LpipsNetwork(nn.Module):
    """Distance of two batches (frames, 3, height, width) in [0, 1], one number per frame.

    Example:
        >>> net, frame = LpipsNetwork(), torch.rand(1, 3, 64, 64)
        >>> net(frame, frame)
        tensor([0.])
    """

    shift: Tensor
    scale: Tensor

    def __init__(self, weights: Mapping[str, Tensor] | None = None) -> None:
        """Build the network with the weights of `lpips_weights.load()`, or with random ones."""
        super().__init__()
        inputs = (3, *(convolution[0] for convolution in CONVOLUTIONS))
        layers = zip(inputs, CONVOLUTIONS, strict=False)
        self.convolutions = nn.ModuleList(nn.Conv2d(before, *shape) for before, shape in layers)
        self.heads = nn.ModuleList(nn.Conv2d(channels, 1, 1, bias=False) for channels in inputs[1:])
        self.register_buffer("shift", torch.tensor(CHANNEL_SHIFT).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("scale", torch.tensor(CHANNEL_SCALE).view(1, 3, 1, 1), persistent=False)
        self.eval().requires_grad_(False)
        if weights is not None:
            self.load_state_dict(weights)

    def forward(self, first: Tensor, second: Tensor) -> Tensor:
        """Sum over the five layers of the weighted squared distance of the unit features, averaged over positions."""
        layers = zip(self.heads, self.extract_features(first), self.extract_features(second), strict=True)
        differences = ((head, _normalize_features(a) - _normalize_features(b)) for head, a, b in layers)
        distances = [head(difference.square()).mean((1, 2, 3)) for head, difference in differences]
        return torch.stack(distances).sum(0)

    def extract_features(self, frames: Tensor) -> Iterator[Tensor]:
        """Yield the output of each of the five convolutions, after its ReLU."""
        x = (2 * frames - 1 - self.shift) / self.scale
        for index, convolution in enumerate(self.convolutions):
            pooled = functional.max_pool2d(x, 3, 2) if index in POOLED_LAYERS else x
            x = functional.relu(convolution(pooled))
            yield x


def lpips(reference: Clip, video: Clip, weights: Path | None = None, device: Device = None) -> float:
    """Mean over the frames; raises `LpipsUnavailable` if the weights are missing or the frames are too small.

    `weights` is a file to use instead of the one in `navicache-pocket`.
    """
    pair = validate_clip_pair(reference, video)
    height, width = pair[0].shape[1:3]
    if min(height, width) < MIN_FRAME_SIDE:
        raise LpipsUnavailable(
            f"LPIPS needs frames of at least {MIN_FRAME_SIDE}x{MIN_FRAME_SIDE} pixels, got {height}x{width}"
        )
    try:
        net = LpipsNetwork(load(weights))
    except WeightsError as error:
        raise LpipsUnavailable(str(error)) from error
    place = torch.device(device or pair[0].device)
    return score_frames(net.to(place, choose_metric_dtype(place)), pair, "LPIPS", place).mean().item()


def _normalize_features(features: Tensor) -> Tensor:
    return features / (features.square().sum(1, keepdim=True).sqrt() + NORM_EPSILON)
