"""A small diffusion transformer of pixels."""

import math

import torch
from torch import nn
from torch.nn import functional

LABELS = 48  # eight colours by six shapes; one more means no label
HEAD_SIZE = 16
TIME_FEATURES = 128


def embed_time(time: torch.Tensor, scale: float) -> torch.Tensor:
    """Sines and cosines of a time, which is brought to 0 to 1,000 first."""
    rates = torch.exp(-math.log(10_000) * torch.arange(TIME_FEATURES // 2, device=time.device) / (TIME_FEATURES // 2))
    angles = scale * time.float()[:, None] * rates
    return torch.cat([angles.cos(), angles.sin()], 1)


class Conditioning(nn.Module):
    """One vector of time and label."""

    def __init__(self, width: int, time_scale: float) -> None:
        super().__init__()
        self.time_scale = time_scale
        self.of_time = nn.Sequential(nn.Linear(TIME_FEATURES, width), nn.SiLU(), nn.Linear(width, width))
        self.of_label = nn.Embedding(LABELS + 1, width)

    def forward(self, time: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        """Add up what is known."""
        return functional.silu(self.of_time(embed_time(time, self.time_scale)) + self.of_label(label))


class Block(nn.Module):
    """Attention and a perceptron, both shifted, scaled and gated by the conditioning."""

    def __init__(self, width: int, shares_modulation: bool) -> None:
        super().__init__()
        self.heads = width // HEAD_SIZE
        self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.perceptron = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh"), nn.Linear(4 * width, width))
        self.modulate = None if shares_modulation else zero_weights(nn.Linear(width, 6 * width))
        self.offset = nn.Parameter(torch.zeros(6 * width))

    def forward(self, x: torch.Tensor, condition: torch.Tensor, shared: torch.Tensor | None) -> torch.Tensor:
        """Change the tokens."""
        own = shared if self.modulate is None else self.modulate(condition)
        assert own is not None
        shift, scale, gate, shift_after, scale_after, gate_after = (own + self.offset)[:, None].chunk(6, -1)
        x = x + gate * self._attend(_normalize(x) * (1 + scale) + shift)
        return x + gate_after * self.perceptron(_normalize(x) * (1 + scale_after) + shift_after)

    def _attend(self, x: torch.Tensor) -> torch.Tensor:
        parts = self.into(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return self.out(functional.scaled_dot_product_attention(*parts.unbind(0)).transpose(1, 2).flatten(2))


class PixelTransformer(nn.Module):
    """f(x, t, label) for pictures of one size.

    Example:
        >>> model = PixelTransformer(size=16, patch=2, width=32, depth=1)
        >>> tuple(model(torch.zeros(2, 3, 16, 16), torch.tensor([999, 0]), torch.tensor([3, 48])).shape)
        (2, 3, 16, 16)
    """

    def __init__(
        self,
        *,
        size: int,
        patch: int,
        width: int,
        depth: int,
        time_scale: float = 1.0,
        shares_modulation: bool = False,
    ) -> None:
        super().__init__()
        self.patch = patch
        self.condition = Conditioning(width, time_scale)
        self.shared = zero_weights(nn.Linear(width, 6 * width)) if shares_modulation else None
        self.into = nn.Linear(3 * patch**2, width)
        self.place = nn.Parameter(0.02 * torch.randn((size // patch) ** 2, width))
        self.blocks = nn.ModuleList(Block(width, shares_modulation) for _ in range(depth))
        self.last_scale = zero_weights(nn.Linear(width, 2 * width))
        self.out = zero_weights(nn.Linear(width, 3 * patch**2))

    def forward(self, x: torch.Tensor, time: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        """Predict noise or velocity."""
        size = x.shape[-2:]
        condition = self.condition(time.expand(len(x)), label)
        tokens = functional.pixel_unshuffle(x, self.patch).flatten(2).transpose(1, 2)
        tokens = self.into(tokens) + self.place
        shared = None if self.shared is None else self.shared(condition)
        for block in self.blocks:
            tokens = block(tokens, condition, shared)
        shift, scale = self.last_scale(condition)[:, None].chunk(2, -1)
        answer = self.out(_normalize(tokens) * (1 + scale) + shift).transpose(1, 2)
        return functional.pixel_shuffle(answer.unflatten(2, [side // self.patch for side in size]), self.patch)


def zero_weights(layer: nn.Module) -> nn.Module:
    """A layer that starts as if it were not there."""
    for parameter in layer.parameters():
        nn.init.zeros_(parameter)
    return layer


def _normalize(x: torch.Tensor) -> torch.Tensor:
    return functional.layer_norm(x, x.shape[-1:])
