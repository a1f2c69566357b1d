"""The blocks of STDiT3 and its final layer."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from navicache_opensora.attention import NORM_EPS, CrossAttention, RotaryAngles, SelfAttention
from navicache_opensora.embeddings import Mlp


class TimeConditioning(NamedTuple):
    """The time embeddings of one call, chosen frame by frame."""

    noisy: Tensor  # for the frames that are denoised
    clean: Tensor | None = None  # for the frames that are given as a condition, at time 0
    is_noisy: Tensor | None = None  # (batch, frames), True at frames that are denoised

    def compute_modulation(self, table: Tensor) -> tuple[Tensor, ...]:
        """Add the embedding to each row of a scale and shift table: tensors (batch, frames or 1, 1, dim).

        Example:
            >>> time = TimeConditioning(torch.ones(1, 2), torch.zeros(1, 2), torch.tensor([[True, False]]))
            >>> [row.flatten().tolist() for row in time.compute_modulation(torch.tensor([[10.0], [20.0]]))]
            [[11.0, 10.0], [21.0, 20.0]]
        """
        rows = self._add_to_table(table, self.noisy)
        if self.clean is not None and self.is_noisy is not None:
            rows = torch.where(self.is_noisy[:, :, None, None, None], rows, self._add_to_table(table, self.clean))
        return rows.unbind(2)

    @staticmethod
    def _add_to_table(table: Tensor, embedding: Tensor) -> Tensor:
        return (table[None] + embedding.view(embedding.shape[0], -1, table.shape[1]))[:, None, :, None]


def layer_norm(x: Tensor) -> Tensor:
    """Layer norm without parameters."""
    return functional.layer_norm(x, x.shape[-1:], eps=NORM_EPS)


class STDiT3Block(nn.Module):
    """Self-attention within a frame or over time, attention to the text, and an MLP."""

    def __init__(self, dim: int, heads: int, mlp_ratio: float, qk_norm: bool, temporal: bool) -> None:
        """Both kinds have the same parameters; `temporal` says along which axis the block attends."""
        super().__init__()
        self.temporal = temporal
        self.scale_shift_table = nn.Parameter(torch.randn(6, dim) / dim**0.5)
        self.attn = SelfAttention(dim, heads, qk_norm)
        self.cross_attn = CrossAttention(dim, heads)
        self.mlp = Mlp(dim, int(dim * mlp_ratio), dim)

    def forward(
        self,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor,
        text_mask: Tensor | None,
        time: TimeConditioning,
        num_frames: int,
        rotary: RotaryAngles | None = None,
    ) -> Tensor:
        """(batch, frames * tokens of a frame, dim) to the same."""
        x = hidden_states.unflatten(1, (num_frames, -1))
        shift, scale, gate, shift_mlp, scale_mlp, gate_mlp = time.compute_modulation(self.scale_shift_table)
        x = x + gate * self._attend(layer_norm(x) * (1 + scale) + shift, rotary)
        x = x + self.cross_attn(x.flatten(1, 2), encoder_hidden_states, text_mask).view_as(x)
        x = x + gate_mlp * self.mlp(layer_norm(x) * (1 + scale_mlp) + shift_mlp)
        return x.flatten(1, 2)

    def _attend(self, x: Tensor, rotary: RotaryAngles | None) -> Tensor:
        if not self.temporal:
            return self.attn(x.flatten(0, 1)).view_as(x)
        batch, frames, tokens, _ = x.shape
        sequences = x.transpose(1, 2).reshape(batch * tokens, frames, -1)
        return self.attn(sequences, rotary).unflatten(0, (batch, tokens)).transpose(1, 2)


class FinalLayer(nn.Module):
    """Projects tokens to the values of their patches."""

    def __init__(self, dim: int, out_features: int) -> None:
        """The table's rows are shift and scale."""
        super().__init__()
        self.scale_shift_table = nn.Parameter(torch.randn(2, dim) / dim**0.5)
        self.linear = nn.Linear(dim, out_features)

    def forward(self, hidden_states: Tensor, time: TimeConditioning, num_frames: int) -> Tensor:
        """(batch, tokens, dim) to (batch, tokens, out_features).

        In frames that are given as a condition, the modulated tokens are normalised and modulated again, not the
        original ones: the published weights were trained this way.
        """
        x = hidden_states.unflatten(1, (num_frames, -1))
        out = self._modulate(x, time.noisy)
        if time.clean is not None and time.is_noisy is not None:
            out = torch.where(time.is_noisy[:, :, None, None], out, self._modulate(out, time.clean))
        return self.linear(out.flatten(1, 2))

    def _modulate(self, x: Tensor, embedding: Tensor) -> Tensor:
        shift, scale = (self.scale_shift_table[None] + embedding[:, None])[:, :, None, None].unbind(1)
        return layer_norm(x) * (1 + scale) + shift
