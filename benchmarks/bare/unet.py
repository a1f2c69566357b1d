"""A small U-Net of pixels."""

import torch
from torch import nn
from torch.nn import functional

from benchmarks.bare.transformer import Conditioning, zero_weights

GROUPS, HEAD_SIZE = 8, 32
ATTENTION_SIZE = 16  # pictures up to this width attend


class Residual(nn.Module):
    """Two convolutions with the conditioning between them, and attention at small sizes."""

    def __init__(self, before: int, width: int, condition: int, attends: bool) -> None:
        super().__init__()
        self.first_norm, self.second_norm = nn.GroupNorm(GROUPS, before), nn.GroupNorm(GROUPS, width)
        self.first, self.second = nn.Conv2d(before, width, 3, padding=1), zero_weights(nn.Conv2d(width, width, 3, 1, 1))
        self.modulate = nn.Linear(condition, 2 * width)
        self.past = nn.Identity() if before == width else nn.Conv2d(before, width, 1)
        self.attention = Attention(width) if attends else nn.Identity()

    def forward(self, x: torch.Tensor, condition: torch.Tensor) -> torch.Tensor:
        """Change the features."""
        scale, shift = self.modulate(condition)[:, :, None, None].chunk(2, 1)
        inner = self.first(functional.silu(self.first_norm(x)))
        inner = self.second(functional.silu(self.second_norm(inner) * (1 + scale) + shift))
        return self.attention(self.past(x) + inner)


class Attention(nn.Module):
    """Every place looks at every other."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.heads = width // HEAD_SIZE
        self.norm, self.into = nn.GroupNorm(GROUPS, width), nn.Conv2d(width, 3 * width, 1)
        self.out = zero_weights(nn.Conv2d(width, width, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add what was found."""
        parts = self.into(self.norm(x)).flatten(2).unflatten(1, (3, self.heads, -1)).transpose(-1, -2)
        found = functional.scaled_dot_product_attention(*parts.unbind(1)).transpose(-1, -2).flatten(1, 2)
        return x + self.out(found.unflatten(2, x.shape[-2:]))


class PixelUNet(nn.Module):
    """f(x, t, label) for pictures of one size.

    Example:
        >>> model = PixelUNet(size=32, widths=(32, 64))
        >>> tuple(model(torch.zeros(2, 3, 32, 32), torch.tensor([999, 0]), torch.tensor([3, 48])).shape)
        (2, 3, 32, 32)
    """

    def __init__(self, *, size: int, widths: tuple[int, ...], time_scale: float = 1.0) -> None:
        super().__init__()
        condition = 4 * widths[0]
        self.condition = Conditioning(condition, time_scale)
        self.into = nn.Conv2d(3, widths[0], 3, padding=1)
        sizes = [size >> level for level in range(len(widths))]
        before = (widths[0], *widths)
        kept = [(*pair, size <= ATTENTION_SIZE) for *pair, size in zip(before, widths, sizes, strict=False)]
        self.down = nn.ModuleList(Residual(start, width, condition, attends) for start, width, attends in kept)
        self.middle = Residual(widths[-1], widths[-1], condition, attends=True)
        self.up = nn.ModuleList(Residual(2 * width, start, condition, attends) for start, width, attends in kept)
        self.out = nn.Sequential(
            nn.GroupNorm(GROUPS, widths[0]), nn.SiLU(), zero_weights(nn.Conv2d(widths[0], 3, 3, padding=1))
        )

    def forward(self, x: torch.Tensor, time: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        """Predict noise or velocity."""
        condition = self.condition(time.expand(len(x)), label)
        x, kept = self.into(x), []
        for level, block in enumerate(self.down):
            x = block(functional.avg_pool2d(x, 2) if level else x, condition)
            kept.append(x)
        x = self.middle(x, condition)
        for level, block in reversed([*enumerate(self.up)]):
            x = block(torch.cat([x, kept[level]], 1), condition)
            x = functional.interpolate(x, scale_factor=2.0) if level else x
        return self.out(x)
