"""Attention over a frame, over time, and to the text."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

EPSILON = 1e-6


class Rotation(NamedTuple):
    """Cosines and sines of the rotary angles, (positions, channels of a head)."""

    cos: Tensor
    sin: Tensor


class RotaryEmbedding(nn.Module):
    """Angles by position: every pair of neighbouring channels turns at its own rate."""

    freqs: Tensor

    def __init__(self, head_width: int) -> None:
        """One rate per pair."""
        super().__init__()
        self.register_buffer("freqs", rotary_rates(head_width))

    def forward(self, length: int) -> Rotation:
        """Products, cosines and sines in the dtype of the model, as in a model cast as a whole."""
        angles = self.angles(length)
        return Rotation(angles.cos(), angles.sin())

    def angles(self, length: int) -> Tensor:
        """(length, channels of a head); both channels of a pair have the same angle."""
        positions = torch.arange(length, device=self.freqs.device).to(self.freqs.dtype)
        return torch.outer(positions, self.freqs).repeat_interleave(2, dim=-1)


def rotary_rates(head_width: int) -> Tensor:
    """10000^(-2k / d) for the pairs k of a head of d channels."""
    return 1.0 / 10000.0 ** (torch.arange(0, head_width, 2, dtype=torch.float32) / head_width)


def rotate(x: Tensor, rotation: Rotation) -> Tensor:
    """Turn neighbouring channels: (a, b) becomes (a cos - b sin, b cos + a sin)."""
    first, second = x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = torch.stack([-second, first], dim=-1).flatten(-2)
    return x * rotation.cos + turned * rotation.sin


class RMSNorm(nn.Module):
    """Root mean square norm: statistics in float32, cast back before the gain."""

    def __init__(self, width: int) -> None:
        """One gain per channel."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        """Channels last."""
        wide = x.float()
        scaled = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + EPSILON)
        return self.weight * scaled.to(x.dtype)


class SelfAttention(nn.Module):
    """Attention among the tokens of a sequence; queries and keys are normed, then turned where there is a rotation."""

    def __init__(self, width: int, heads: int, qk_norm: bool) -> None:
        """Queries, keys and values come from one layer, in that order."""
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.q_norm = RMSNorm(width // heads) if qk_norm else nn.Identity()
        self.k_norm = RMSNorm(width // heads) if qk_norm else nn.Identity()
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, rotation: Rotation | None = None) -> Tensor:
        """(sequences, length, width) to the same."""
        q, k, v = split_heads(self.qkv(x), 3, self.heads)
        q, k = self.q_norm(q), self.k_norm(k)
        if rotation is not None:
            q, k = rotate(q, rotation), rotate(k, rotation)
        return self.proj(join_heads(functional.scaled_dot_product_attention(q, k, v)))


class CrossAttention(nn.Module):
    """Attention of all tokens of a sample to its text; no norm, no rotation."""

    def __init__(self, width: int, heads: int) -> None:
        """Keys and values come from one layer, in that order."""
        super().__init__()
        self.heads = heads
        self.q_linear = nn.Linear(width, width)
        self.kv_linear = nn.Linear(width, 2 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x: Tensor, text: Tensor, mask: Tensor | None = None) -> Tensor:
        """(batch, tokens, width) to the same; `mask` (batch, 1, 1, text tokens) is True at the words to see."""
        (q,) = split_heads(self.q_linear(x), 1, self.heads)
        k, v = split_heads(self.kv_linear(text), 2, self.heads)
        return self.proj(join_heads(functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


def split_heads(x: Tensor, parts: int, heads: int) -> tuple[Tensor, ...]:
    """(batch, length, parts * width) to `parts` tensors (batch, heads, length, head width)."""
    return x.unflatten(-1, (parts, heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)


def join_heads(x: Tensor) -> Tensor:
    """(batch, heads, length, head width) to (batch, length, width)."""
    return x.transpose(1, 2).flatten(2)
