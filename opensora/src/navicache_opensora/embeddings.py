"""Where a token is, when a step is, and what the text says: everything that enters the blocks beside the latents."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from navicache_opensora.rates import wave_rates

WAVES = 256  # sines and cosines of a scalar
LONGEST = 10000.0


def position_embedding(grid: tuple[int, int], side: Tensor, width: int, dtype: torch.dtype) -> Tensor:
    """(1, tokens, width): the first half of the channels encodes the column, the second half the row.

    Args:
        grid: rows and columns of tokens.
        side: square root of the pixel area over the reference side; a scalar on the device, so nothing waits for it.
        width: channels of a token.
        dtype: of the model. The frequencies are rounded to it, as in a model cast as a whole; the angles are not.
    """
    rows, columns = grid
    base = round(math.sqrt(rows * columns))
    half = width // 2
    exponents = torch.arange(0, half, 2, dtype=torch.float32, device=side.device) / half
    rates = (1.0 / LONGEST**exponents).to(dtype).float()
    across = _waves(columns, base, side, rates).expand(rows, columns, half)
    down = _waves(rows, base, side, rates)[:, None].expand(rows, columns, half)
    return torch.cat([across, down], dim=-1).reshape(1, rows * columns, width).to(dtype)


def _waves(count: int, base: int, side: Tensor, rates: Tensor) -> Tensor:
    places = torch.arange(count, dtype=torch.float32, device=side.device) / side * (base / count)
    angles = places[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class ScalarEmbedder(nn.Module):
    """A scalar s (the timestep, or frames per second) as a vector: two linear layers over [cos(s f), sin(s f)]."""

    rates: Tensor

    def __init__(self, width: int) -> None:
        """The rates f are kept as bits, for a model cast to another dtype keeps them in float32."""
        super().__init__()
        here = torch.get_default_device()  # on meta they would be lost, for no checkpoint holds them
        rates = wave_rates(WAVES // 2).to("cpu" if here.type == "meta" else here)
        self.register_buffer("rates", rates.view(torch.int32), persistent=False)
        self.mlp = nn.Sequential(nn.Linear(WAVES, width), nn.SiLU(), nn.Linear(width, width))

    def forward(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        """(batch,) to (batch, width)."""
        angles = values.float()[:, None] * self.rates.view(torch.float32)
        return self.mlp(torch.cat([angles.cos(), angles.sin()], dim=-1).to(dtype))


class Mlp(nn.Module):
    """Two linear layers with the tanh form of GELU between them."""

    def __init__(self, inner: int, hidden: int, outer: int) -> None:
        """From `inner` to `outer` channels."""
        super().__init__()
        self.fc1 = nn.Linear(inner, hidden)
        self.fc2 = nn.Linear(hidden, outer)

    def forward(self, x: Tensor) -> Tensor:
        """Channels last."""
        return self.fc2(functional.gelu(self.fc1(x), approximate="tanh"))


class CaptionEmbedder(nn.Module):
    """Text states in the width of the blocks, and the caption that stands for no text."""

    y_embedding: Tensor

    def __init__(self, channels: int, width: int, tokens: int) -> None:
        """The null caption lives in the text encoder's space, so it takes the same way as a caption."""
        super().__init__()
        self.y_proj = Mlp(channels, width, width)
        self.register_buffer("y_embedding", torch.randn(tokens, channels) / channels**0.5)

    def forward(self, y: Tensor) -> Tensor:
        """(batch, 1, tokens, channels) to (batch, 1, tokens, width)."""
        return self.y_proj(y)


class PatchEmbedder(nn.Module):
    """Latents as tokens, frame by frame, row by row."""

    def __init__(self, patch: tuple[int, int, int], channels: int, width: int) -> None:
        """One token per patch."""
        super().__init__()
        self.patch = patch
        self.proj = nn.Conv3d(channels, width, kernel_size=patch, stride=patch)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, frames, height, width) to (batch, tokens, width); zeros fill up the last patches."""
        missing = [-size % cell for size, cell in zip(x.shape[2:], self.patch, strict=True)]
        padding = [amount for size in reversed(missing) for amount in (0, size)]
        return self.proj(functional.pad(x, padding)).flatten(2).transpose(1, 2)


def unpatchify(tokens: Tensor, grid: tuple[int, int, int], patch: tuple[int, int, int]) -> Tensor:
    """(batch, tokens, patch volume * channels) to (batch, channels, frames, height, width); channels vary fastest."""
    frames, rows, columns = grid
    cells = tokens.reshape(tokens.shape[0], frames, rows, columns, *patch, -1)
    video = cells.permute(0, 7, 1, 4, 2, 5, 3, 6)
    return video.reshape(video.shape[0], video.shape[1], frames * patch[0], rows * patch[1], columns * patch[2])
