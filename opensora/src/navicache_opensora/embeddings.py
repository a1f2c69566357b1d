"""Embeddings of patches, positions, scalars (timestep, fps) and captions."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from navicache_opensora.frequencies import compute_frequencies

FREQUENCY_CHANNELS = 256  # cosines and sines of a scalar
MAX_PERIOD = 10000.0


def compute_position_embedding(grid: tuple[int, int], scale: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    """(1, tokens, dim): the first half of the channels encodes the column, the second half the row.

    Args:
        grid: rows and columns of tokens.
        scale: square root of the pixel area over the reference side; a scalar on the device, to avoid a transfer.
        dim: channels of a token.
        dtype: of the model. The frequencies are rounded to it, as in the published model after a cast; the angles
            are not.
    """
    rows, columns = grid
    base = round(math.sqrt(rows * columns))
    half = dim // 2
    exponents = torch.arange(0, half, 2, dtype=torch.float32, device=scale.device) / half
    frequencies = (1.0 / MAX_PERIOD**exponents).to(dtype).float()
    across = _embed_positions(columns, base, scale, frequencies).expand(rows, columns, half)
    down = _embed_positions(rows, base, scale, frequencies)[:, None].expand(rows, columns, half)
    return torch.cat([across, down], dim=-1).reshape(1, rows * columns, dim).to(dtype)


def _embed_positions(count: int, base: int, scale: Tensor, frequencies: Tensor) -> Tensor:
    positions = torch.arange(count, dtype=torch.float32, device=scale.device) / scale * (base / count)
    angles = positions[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class ScalarEmbedder(nn.Module):
    """Embeds a scalar s (the timestep, or frames per second): two linear layers over [cos(s f), sin(s f)]."""

    frequencies: Tensor

    def __init__(self, dim: int) -> None:
        """The frequencies f are stored as int32 bits, so that a cast of the model leaves them in float32."""
        super().__init__()
        default = torch.get_default_device()  # on meta they would be lost: no checkpoint holds them
        frequencies = compute_frequencies(FREQUENCY_CHANNELS // 2).to("cpu" if default.type == "meta" else default)
        self.register_buffer("frequencies", frequencies.view(torch.int32), persistent=False)
        self.mlp = nn.Sequential(nn.Linear(FREQUENCY_CHANNELS, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, values: Tensor, dtype: torch.dtype) -> Tensor:
        """(batch,) to (batch, dim)."""
        angles = values.float()[:, None] * self.frequencies.view(torch.float32)
        return self.mlp(torch.cat([angles.cos(), angles.sin()], dim=-1).to(dtype))


class Mlp(nn.Module):
    """Two linear layers with the tanh form of GELU between them."""

    def __init__(self, in_features: int, hidden_features: int, out_features: int) -> None:
        """Two linear layers."""
        super().__init__()
        self.fc1 = nn.Linear(in_features, hidden_features)
        self.fc2 = nn.Linear(hidden_features, out_features)

    def forward(self, x: Tensor) -> Tensor:
        """Channels last."""
        return self.fc2(functional.gelu(self.fc1(x), approximate="tanh"))


class CaptionEmbedder(nn.Module):
    """Projects the states of the text encoder, and holds the null caption of the unconditional branch."""

    y_embedding: Tensor

    def __init__(self, caption_channels: int, dim: int, max_tokens: int) -> None:
        """The null caption has the channels of the text encoder, so it is projected like a caption."""
        super().__init__()
        self.y_proj = Mlp(caption_channels, dim, dim)
        self.register_buffer("y_embedding", torch.randn(max_tokens, caption_channels) / caption_channels**0.5)

    def forward(self, y: Tensor) -> Tensor:
        """(batch, 1, tokens, caption channels) to (batch, 1, tokens, dim)."""
        return self.y_proj(y)


class PatchEmbedder(nn.Module):
    """Turns latents into tokens, frame by frame and row by row."""

    def __init__(self, patch_size: tuple[int, int, int], channels: int, dim: int) -> None:
        """One token per patch."""
        super().__init__()
        self.patch_size = patch_size
        self.proj = nn.Conv3d(channels, dim, kernel_size=patch_size, stride=patch_size)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, channels, frames, height, width) to (batch, tokens, dim); the last patches are padded with zeros."""
        missing = [-size % cell for size, cell in zip(x.shape[2:], self.patch_size, strict=True)]
        padding = [amount for size in reversed(missing) for amount in (0, size)]
        return self.proj(functional.pad(x, padding)).flatten(2).transpose(1, 2)


def unpatchify(tokens: Tensor, grid: tuple[int, int, int], patch_size: tuple[int, int, int]) -> Tensor:
    """(batch, tokens, values of a patch) to (batch, channels, frames, height, width); channels vary fastest."""
    frames, rows, columns = grid
    cells = tokens.reshape(tokens.shape[0], frames, rows, columns, *patch_size, -1)
    video = cells.permute(0, 7, 1, 4, 2, 5, 3, 6)
    return video.reshape(
        video.shape[0], video.shape[1], frames * patch_size[0], rows * patch_size[1], columns * patch_size[2]
    )
