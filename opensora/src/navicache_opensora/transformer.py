"""STDiT3, the denoiser of Open-Sora 1.2: blocks over space and blocks over time in turn."""

from typing import Any

import torch
from diffusers.configuration_utils import ConfigMixin, register_to_config
from diffusers.models.cache_utils import CacheMixin
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from diffusers.models.modeling_utils import ModelMixin
from torch import Tensor, nn

from navicache_opensora.attention import RotaryEmbedding
from navicache_opensora.blocks import FinalLayer, Moment, STDiT3Block
from navicache_opensora.checkpoint import PublishedMixin
from navicache_opensora.embeddings import (
    CaptionEmbedder,
    PatchEmbedder,
    ScalarEmbedder,
    position_embedding,
    unpatchify,
)


class STDiT3Transformer(PublishedMixin, ModelMixin, ConfigMixin, CacheMixin):
    """Predicts x0 - noise of video latents; for inference, so no parameter asks for a gradient.

    The defaults are STDiT3-XL/2. `from_pretrained` opens a diffusers folder and the published checkpoint alike.

    Args:
        input_size: of no effect; the published configuration has it. So have `class_dropout_prob` and `drop_path`,
            which act in training only.
        input_sq_size: side of the square of pixels at which positions are counted in tokens.
        pred_sigma: predict twice the channels; the sampler uses the first half.
        model_max_length: text tokens.
        skip_y_embedder: must be False; text that is already embedded is not taken.
    """

    _no_split_modules = ["STDiT3Block"]
    _repeated_blocks = ["STDiT3Block"]
    _optional_keys = frozenset({"rope.freqs"})  # follows from the head width; older files may lack it

    @register_to_config
    def __init__(
        self,
        depth: int = 28,
        hidden_size: int = 1152,
        num_heads: int = 16,
        patch_size: tuple[int, int, int] = (1, 2, 2),
        in_channels: int = 4,
        pred_sigma: bool = True,
        mlp_ratio: float = 4.0,
        caption_channels: int = 4096,
        model_max_length: int = 300,
        qk_norm: bool = True,
        input_sq_size: int = 512,
        input_size: tuple[int | None, ...] = (None, None, None),
        class_dropout_prob: float = 0.1,
        drop_path: float = 0.0,
        skip_y_embedder: bool = False,
    ) -> None:
        """Random weights."""
        super().__init__()
        _check(hidden_size, num_heads, skip_y_embedder)
        time, tall, wide = patch_size
        self.patch = (time, tall, wide)
        self.out_channels = in_channels * (2 if pred_sigma else 1)
        self.rope = RotaryEmbedding(hidden_size // num_heads)
        self.x_embedder = PatchEmbedder(self.patch, in_channels, hidden_size)
        self.t_embedder = ScalarEmbedder(hidden_size)
        self.fps_embedder = ScalarEmbedder(hidden_size)
        self.t_block = nn.Sequential(nn.SiLU(), nn.Linear(hidden_size, 6 * hidden_size))
        self.y_embedder = CaptionEmbedder(caption_channels, hidden_size, model_max_length)
        block = (hidden_size, num_heads, mlp_ratio, qk_norm)
        self.spatial_blocks = nn.ModuleList([STDiT3Block(*block, temporal=False) for _ in range(depth)])
        self.temporal_blocks = nn.ModuleList([STDiT3Block(*block, temporal=True) for _ in range(depth)])
        self.final_layer = FinalLayer(hidden_size, time * tall * wide * self.out_channels)
        self.requires_grad_(False)

    def forward(
        self,
        x: Tensor,
        timestep: Tensor,
        y: Tensor,
        mask: Tensor | None = None,
        x_mask: Tensor | None = None,
        fps: Tensor | None = None,
        height: Tensor | None = None,
        width: Tensor | None = None,
        return_dict: bool = True,
    ) -> Transformer2DModelOutput | tuple[Tensor]:
        """Predict, in float32.

        Args:
            x: (batch, channels, frames, height, width) latents.
            timestep: (batch,), up to 1000.
            y: (batch, 1, tokens, text channels).
            mask: (rows, tokens), 1 at real tokens, repeated as a whole to the batch; None: all are real.
            x_mask: (batch, frames), False at frames that are a clean condition; None: all are denoised.
            fps: (rows,), frames per second, 120 for an image, repeated as a whole to the batch.
            height: in pixels; the first element counts.
            width: in pixels; the first element counts.
            return_dict: hand back an output with `sample`, not a tuple.
        """
        sizes = _required(fps=fps, height=height, width=width)
        dtype = self._floating(x, y)
        moment, embedding = self._moments(timestep.to(dtype), tile(sizes["fps"], len(x)), x_mask, dtype)
        grid = self._grid(x)
        hidden = self.x_embedder(x.to(dtype))
        hidden = (hidden.unflatten(1, (grid[0], -1)) + self._positions(grid, sizes, dtype)[:, None]).flatten(1, 2)
        hidden = self._run_blocks(hidden, self.y_embedder(y.to(dtype)).squeeze(1), key_mask(mask, len(x)), moment, grid)
        out = unpatchify(self.final_layer(hidden, embedding, grid[0]), grid, self.patch)
        sample = out[:, :, : x.shape[2], : x.shape[3], : x.shape[4]].float()
        return Transformer2DModelOutput(sample=sample) if return_dict else (sample,)

    def _run_blocks(
        self, hidden: Tensor, text: Tensor, mask: Tensor | None, moment: Moment, grid: tuple[int, int, int]
    ) -> Tensor:
        rotation = self.rope(grid[0])
        for spatial, temporal in zip(self.spatial_blocks, self.temporal_blocks, strict=True):
            hidden = spatial(hidden, text, mask, moment, grid[0])
            hidden = temporal(hidden, text, mask, moment, grid[0], rotation)
        return hidden

    def _moments(
        self, timestep: Tensor, fps: Tensor, x_mask: Tensor | None, dtype: torch.dtype
    ) -> tuple[Moment, Moment]:
        """For the blocks, and for the last layer."""
        rate = self.fps_embedder(fps, dtype)
        now = self.t_embedder(timestep, dtype) + rate
        if x_mask is None:
            return Moment(self.t_block(now)), Moment(now)
        clean = self.t_embedder(torch.zeros_like(timestep), dtype) + rate
        return Moment(self.t_block(now), self.t_block(clean), x_mask), Moment(now, clean, x_mask)

    def _positions(self, grid: tuple[int, int, int], sizes: dict[str, Tensor], dtype: torch.dtype) -> Tensor:
        area = sizes["height"].flatten()[0].float() * sizes["width"].flatten()[0].float()
        side = area.sqrt() / self.config["input_sq_size"]
        return position_embedding(grid[1:], side, self.config["hidden_size"], dtype)

    def _grid(self, x: Tensor) -> tuple[int, int, int]:
        frames, rows, columns = (-(-size // cell) for size, cell in zip(x.shape[2:], self.patch, strict=True))
        return frames, rows, columns

    def _floating(self, x: Tensor, y: Tensor) -> torch.dtype:
        for name, value in (("x", x), ("y", y)):
            if not value.is_floating_point():
                raise TypeError(f"{name} must hold floats, got {value.dtype}: convert it with .to(transformer.dtype)")
        return self.dtype


def tile(values: Tensor, batch: int) -> Tensor:
    """Repeat a tensor as a whole until it has `batch` rows.

    Example:
        >>> tile(torch.tensor([1, 2]), 4).tolist()
        [1, 2, 1, 2]
    """
    if batch % len(values):
        raise ValueError(f"a batch of {batch} is no multiple of the {len(values)} rows given: pass 1 or {batch} rows")
    return values.repeat(batch // len(values), *[1] * (values.dim() - 1))


def key_mask(mask: Tensor | None, batch: int) -> Tensor | None:
    """(batch, 1, 1, tokens) bool, as attention takes it."""
    return None if mask is None else tile(mask, batch).ne(0)[:, None, None]


def _required(**sizes: Tensor | None) -> dict[str, Tensor]:
    given = {name: value for name, value in sizes.items() if value is not None}
    if len(given) < len(sizes):
        raise ValueError(
            f"pass {', '.join(sorted(set(sizes) - set(given)))} as tensors: the model is conditioned on them"
        )
    return given


def _check(hidden_size: int, num_heads: int, skip_y_embedder: Any) -> None:
    if hidden_size % num_heads or hidden_size // num_heads % 2 or hidden_size % 4:
        raise ValueError(f"hidden_size {hidden_size} must be a multiple of 4 and of 2 * num_heads ({num_heads} heads)")
    if skip_y_embedder:
        raise ValueError("skip_y_embedder=True is not supported: pass text states and leave the embedding to the model")
