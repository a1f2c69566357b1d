"""Mild degradations, as in generated and stored videos, that the reader must tolerate."""

import math

import torch
from torch.nn import functional

BLOCK = 8
COARSENESS = 1.2  # about 30 dB on this world


def blur(video: torch.Tensor, sigma: float = 1.0) -> torch.Tensor:
    """Gaussian blur of every frame, sigma in pixels."""
    reach = math.ceil(3 * sigma)
    kernel = torch.exp(-0.5 * (torch.arange(-reach, reach + 1, device=video.device) / sigma) ** 2)
    kernel = kernel / kernel.sum()
    flat = functional.pad(video.flatten(0, 2).unsqueeze(1), (reach,) * 4, mode="replicate")
    once = functional.conv2d(flat, kernel.view(1, 1, 1, -1))
    return functional.conv2d(once, kernel.view(1, 1, -1, 1)).view_as(video)


def add_noise(video: torch.Tensor, deviation: float = 0.03, seed: int = 0) -> torch.Tensor:
    """White noise; the deviation is a share of the full range."""
    noise = torch.randn(video.shape, generator=torch.Generator().manual_seed(seed)).to(video.device)
    return (video + 2 * deviation * noise).clamp(-1, 1)


def compress(video: torch.Tensor, coarseness: float = COARSENESS) -> torch.Tensor:
    """Rounded cosine coefficients of 8 by 8 blocks, finer for low frequencies, as JPEG and video codecs do."""
    count = torch.arange(BLOCK, device=video.device)
    basis = torch.cos(math.pi / BLOCK * (count + 0.5) * count.unsqueeze(1)) * math.sqrt(2 / BLOCK)
    basis[0] /= math.sqrt(2)
    step = coarseness * (1 + count + count.unsqueeze(1)) / 2
    blocks = video.unflatten(-1, (-1, BLOCK)).unflatten(-3, (-1, BLOCK)).transpose(-2, -3)
    coefficients = basis @ blocks @ basis.T
    rounded = basis.T @ ((coefficients / step).round() * step) @ basis
    return rounded.transpose(-2, -3).flatten(-4, -3).flatten(-2, -1).clamp(-1, 1)


def degrade_fully(video: torch.Tensor) -> torch.Tensor:
    """Blur, add noise, then compress."""
    return compress(add_noise(blur(video)))


DEGRADATIONS = {"blur": blur, "noise": add_noise, "compression": compress, "all three": degrade_fully}
