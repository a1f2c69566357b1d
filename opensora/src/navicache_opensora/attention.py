"""Attention over a frame, over time, and to the text."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

NORM_EPS = 1e-6


class RotaryAngles(NamedTuple):
    """Cosines and sines of the rotary angles, each (positions, head dim)."""

    cos: Tensor
    sin: Tensor


class RotaryEmbedding(nn.Module):
    """Rotary position embedding: every pair of neighbouring channels has its own frequency."""

    freqs: Tensor

    def __init__(self, head_dim: int) -> None:
        """One frequency per pair of channels."""
        super().__init__()
        self.register_buffer("freqs", compute_rotary_frequencies(head_dim))

    def forward(self, length: int) -> RotaryAngles:
        """Angles, cosines and sines in the dtype of the model, as in the published model after a cast."""
        angles = self.compute_angles(length)
        return RotaryAngles(angles.cos(), angles.sin())

    def compute_angles(self, length: int) -> Tensor:
        """(length, head dim); both channels of a pair have the same angle."""
        positions = torch.arange(length, device=self.freqs.device).to(self.freqs.dtype)
        return torch.outer(positions, self.freqs).repeat_interleave(2, dim=-1)


def compute_rotary_frequencies(head_dim: int) -> Tensor:
    """10000^(-2k / d) for the pairs k of a head of d channels."""
    return 1.0 / 10000.0 ** (torch.arange(0, head_dim, 2, dtype=torch.float32) / head_dim)


def apply_rotary_embedding(x: Tensor, rotary: RotaryAngles) -> Tensor:
    """Rotate pairs of neighbouring channels: (a, b) becomes (a cos - b sin, b cos + a sin)."""
    first, second = x.unflatten(-1, (-1, 2)).unbind(-1)
    rotated = torch.stack([-second, first], dim=-1).flatten(-2)
    return x * rotary.cos + rotated * rotary.sin


class RMSNorm(nn.Module):
    """Root mean square norm: statistics in float32, cast back before the weight is applied."""

    def __init__(self, dim: int) -> None:
        """One weight per channel."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """Channels last."""
        full = x.float()
        scaled = full * torch.rsqrt(full.square().mean(-1, keepdim=True) + NORM_EPS)
        return self.weight * scaled.to(x.dtype)


class SelfAttention(nn.Module):
    """Attention among the tokens of a sequence; queries and keys are normalised, then rotated if `rotary` is given."""

    def __init__(self, dim: int, heads: int, qk_norm: bool) -> None:
        """Queries, keys and values come from one layer, in that order."""
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.q_norm = RMSNorm(dim // heads) if qk_norm else nn.Identity()
        self.k_norm = RMSNorm(dim // heads) if qk_norm else nn.Identity()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor, rotary: RotaryAngles | None = None) -> Tensor:
        """(sequences, length, dim) to the same."""
        q, k, v = split_heads(self.qkv(x), 3, self.heads)
        q, k = self.q_norm(q), self.k_norm(k)
        if rotary is not None:
            q, k = apply_rotary_embedding(q, rotary), apply_rotary_embedding(k, rotary)
        return self.proj(join_heads(functional.scaled_dot_product_attention(q, k, v)))


class CrossAttention(nn.Module):
    """Attention of all tokens of a sample to its text; no norm, no rotary embedding."""

    def __init__(self, dim: int, heads: int) -> None:
        """Keys and values come from one layer, in that order."""
        super().__init__()
        self.heads = heads
        self.q_linear = nn.Linear(dim, dim)
        self.kv_linear = nn.Linear(dim, 2 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: Tensor, text: Tensor, mask: Tensor | None = None) -> Tensor:
        """(batch, tokens, dim) to the same; `mask` (batch, 1, 1, text tokens) is True at tokens to attend to."""
        (q,) = split_heads(self.q_linear(x), 1, self.heads)
        k, v = split_heads(self.kv_linear(text), 2, self.heads)
        return self.proj(join_heads(functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)))


def split_heads(x: Tensor, count: int, heads: int) -> tuple[Tensor, ...]:
    """(batch, length, count * dim) to `count` tensors (batch, heads, length, head dim)."""
    return x.unflatten(-1, (count, heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)


def join_heads(x: Tensor) -> Tensor:
    """(batch, heads, length, head dim) to (batch, length, dim)."""
    return x.transpose(1, 2).flatten(2)
