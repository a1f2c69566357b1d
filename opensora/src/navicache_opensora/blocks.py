"""The blocks of STDiT3 and its last layer."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from navicache_opensora.attention import EPSILON, CrossAttention, Rotation, SelfAttention
from navicache_opensora.embeddings import Mlp


class Moment(NamedTuple):
    """What the time embedding says about a step, for every frame it is at."""

    now: Tensor  # of the frames being denoised
    clean: Tensor | None = None  # of the frames that are a condition, at time 0
    frames: Tensor | None = None  # (batch, frames) bool: True is being denoised

    def over(self, table: Tensor) -> tuple[Tensor, ...]:
        """Rows of the table plus this moment, each (batch, frames or 1, 1, width), chosen frame by frame.

        Example:
            >>> moment = Moment(torch.ones(1, 2), torch.zeros(1, 2), torch.tensor([[True, False]]))
            >>> [row.flatten().tolist() for row in moment.over(torch.tensor([[10.0], [20.0]]))]
            [[11.0, 10.0], [21.0, 20.0]]
        """
        rows = self._rows(table, self.now)
        if self.clean is not None and self.frames is not None:
            rows = torch.where(self.frames[:, :, None, None, None], rows, self._rows(table, self.clean))
        return rows.unbind(2)

    @staticmethod
    def _rows(table: Tensor, embedding: Tensor) -> Tensor:
        return (table[None] + embedding.view(embedding.shape[0], -1, table.shape[1]))[:, None, :, None]


def norm(x: Tensor) -> Tensor:
    """Layer norm without parameters."""
    return functional.layer_norm(x, x.shape[-1:], eps=EPSILON)


class STDiT3Block(nn.Module):
    """Self-attention within a frame or over time, attention to the text, and an MLP."""

    def __init__(self, width: int, heads: int, mlp_ratio: float, qk_norm: bool, temporal: bool) -> None:
        """Both kinds have the same parameters; `temporal` says along which axis the block attends."""
        super().__init__()
        self.temporal = temporal
        self.scale_shift_table = nn.Parameter(torch.randn(6, width) / width**0.5)
        self.attn = SelfAttention(width, heads, qk_norm)
        self.cross_attn = CrossAttention(width, heads)
        self.mlp = Mlp(width, int(width * mlp_ratio), width)

    def forward(
        self,
        hidden_states: Tensor,
        encoder_hidden_states: Tensor,
        text_mask: Tensor | None,
        moment: Moment,
        num_frames: int,
        rotation: Rotation | None = None,
    ) -> Tensor:
        """(batch, frames * tokens of a frame, width) to the same."""
        x = hidden_states.unflatten(1, (num_frames, -1))
        shift, scale, gate, shift_mlp, scale_mlp, gate_mlp = moment.over(self.scale_shift_table)
        x = x + gate * self._attend(norm(x) * (1 + scale) + shift, rotation)
        x = x + self.cross_attn(x.flatten(1, 2), encoder_hidden_states, text_mask).view_as(x)
        x = x + gate_mlp * self.mlp(norm(x) * (1 + scale_mlp) + shift_mlp)
        return x.flatten(1, 2)

    def _attend(self, x: Tensor, rotation: Rotation | None) -> Tensor:
        if not self.temporal:
            return self.attn(x.flatten(0, 1)).view_as(x)
        batch, frames, tokens, _ = x.shape
        along = x.transpose(1, 2).reshape(batch * tokens, frames, -1)
        return self.attn(along, rotation).unflatten(0, (batch, tokens)).transpose(1, 2)


class FinalLayer(nn.Module):
    """Tokens to the values of their patches."""

    def __init__(self, width: int, values: int) -> None:
        """The table's rows are shift and scale."""
        super().__init__()
        self.scale_shift_table = nn.Parameter(torch.randn(2, width) / width**0.5)
        self.linear = nn.Linear(width, values)

    def forward(self, hidden_states: Tensor, moment: Moment, num_frames: int) -> Tensor:
        """(batch, tokens, width) to (batch, tokens, values).

        In frames that are a condition, what is normed the second time is the modulated tokens and not the tokens:
        the released weights were trained so.
        """
        x = hidden_states.unflatten(1, (num_frames, -1))
        out = self._modulate(x, moment.now)
        if moment.clean is not None and moment.frames is not None:
            out = torch.where(moment.frames[:, :, None, None], out, self._modulate(out, moment.clean))
        return self.linear(out.flatten(1, 2))

    def _modulate(self, x: Tensor, embedding: Tensor) -> Tensor:
        shift, scale = (self.scale_shift_table[None] + embedding[:, None])[:, :, None, None].unbind(1)
        return norm(x) * (1 + scale) + shift
