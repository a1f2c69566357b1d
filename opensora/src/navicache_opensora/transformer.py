"""STDiT3, the denoiser of Open-Sora 1.2: spatial and temporal blocks in alternation."""

from typing import Any

import torch
from diffusers.configuration_utils import ConfigMixin, register_to_config
from diffusers.models.cache_utils import CacheMixin
from diffusers.models.modeling_outputs import Transformer2DModelOutput
from diffusers.models.modeling_utils import ModelMixin
from torch import Tensor, nn

from navicache_opensora.attention import RotaryEmbedding
from navicache_opensora.blocks import FinalLayer, STDiT3Block, TimeConditioning
from navicache_opensora.checkpoint import PublishedCheckpointMixin
from navicache_opensora.embeddings import (
    CaptionEmbedder,
    PatchEmbedder,
    ScalarEmbedder,
    compute_position_embedding,
    unpatchify,
)


class STDiT3Transformer(PublishedCheckpointMixin, ModelMixin, ConfigMixin, CacheMixin):
    """Predicts x0 - noise of video latents; for inference only, so no parameter requires a gradient.

    The defaults are STDiT3-XL/2. `from_pretrained` opens a diffusers folder and the published checkpoint alike.

    Args:
        input_size: not used, but part of the published configuration. So are `class_dropout_prob` and `drop_path`,
            which act in training only.
        input_sq_size: side of the square of pixels at which one position is one token.
        pred_sigma: predict twice the channels; the sampler uses the first half.
        model_max_length: text tokens.
        skip_y_embedder: must be False; text that is already embedded is not supported.
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
        _check_arguments(hidden_size, num_heads, skip_y_embedder)
        frames, rows, columns = patch_size
        self.patch_size = (frames, rows, columns)
        self.out_channels = in_channels * (2 if pred_sigma else 1)
        self.rope = RotaryEmbedding(hidden_size // num_heads)
        self.x_embedder = PatchEmbedder(self.patch_size, in_channels, hidden_size)
        self.t_embedder = ScalarEmbedder(hidden_size)
        self.fps_embedder = ScalarEmbedder(hidden_size)
        self.t_block = nn.Sequential(nn.SiLU(), nn.Linear(hidden_size, 6 * hidden_size))
        self.y_embedder = CaptionEmbedder(caption_channels, hidden_size, model_max_length)
        block = (hidden_size, num_heads, mlp_ratio, qk_norm)
        self.spatial_blocks = nn.ModuleList([STDiT3Block(*block, temporal=False) for _ in range(depth)])
        self.temporal_blocks = nn.ModuleList([STDiT3Block(*block, temporal=True) for _ in range(depth)])
        self.final_layer = FinalLayer(hidden_size, frames * rows * columns * self.out_channels)
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
        """Predict x0 - noise; the result is float32.

        Args:
            x: (batch, channels, frames, height, width) latents.
            timestep: (batch,), up to 1000.
            y: (batch, 1, tokens, text channels).
            mask: (rows, tokens), 1 at real tokens, repeated as a whole to the batch; None: all are real.
            x_mask: (batch, frames), False at frames that are given as a clean condition; None: all are denoised.
            fps: (rows,), frames per second, 120 for an image, repeated as a whole to the batch.
            height: in pixels; only the first element is used.
            width: in pixels; only the first element is used.
            return_dict: return an output with `sample`, not a tuple.
        """
        sizes = _require_sizes(fps=fps, height=height, width=width)
        _check_floating(x=x, y=y)
        dtype = self.dtype
        fps = repeat_to_batch(sizes["fps"], len(x))
        block_time, final_time = self._embed_time(timestep.to(dtype), fps, x_mask, dtype)
        grid = self._count_patches(x)
        hidden = self.x_embedder(x.to(dtype))
        hidden = (hidden.unflatten(1, (grid[0], -1)) + self._embed_positions(grid, sizes, dtype)[:, None]).flatten(1, 2)
        text = self.y_embedder(y.to(dtype)).squeeze(1)
        hidden = self._run_blocks(hidden, text, build_attention_mask(mask, len(x)), block_time, grid)
        out = unpatchify(self.final_layer(hidden, final_time, grid[0]), grid, self.patch_size)
        sample = out[:, :, : x.shape[2], : x.shape[3], : x.shape[4]].float()
        return Transformer2DModelOutput(sample=sample) if return_dict else (sample,)

    def _run_blocks(
        self, hidden: Tensor, text: Tensor, mask: Tensor | None, time: TimeConditioning, grid: tuple[int, int, int]
    ) -> Tensor:
        rotary = self.rope(grid[0])
        for spatial, temporal in zip(self.spatial_blocks, self.temporal_blocks, strict=True):
            hidden = spatial(hidden, text, mask, time, grid[0])
            hidden = temporal(hidden, text, mask, time, grid[0], rotary)
        return hidden

    def _embed_time(
        self, timestep: Tensor, fps: Tensor, x_mask: Tensor | None, dtype: torch.dtype
    ) -> tuple[TimeConditioning, TimeConditioning]:
        """Time and fps as the blocks take them, and as the final layer takes them."""
        fps_embedding = self.fps_embedder(fps, dtype)
        noisy = self.t_embedder(timestep, dtype) + fps_embedding
        if x_mask is None:
            return TimeConditioning(self.t_block(noisy)), TimeConditioning(noisy)
        clean = self.t_embedder(torch.zeros_like(timestep), dtype) + fps_embedding
        block_time = TimeConditioning(self.t_block(noisy), self.t_block(clean), x_mask)
        return block_time, TimeConditioning(noisy, clean, x_mask)

    def _embed_positions(self, grid: tuple[int, int, int], sizes: dict[str, Tensor], dtype: torch.dtype) -> Tensor:
        area = sizes["height"].flatten()[0].float() * sizes["width"].flatten()[0].float()
        scale = area.sqrt() / self.config["input_sq_size"]
        return compute_position_embedding(grid[1:], scale, self.config["hidden_size"], dtype)

    def _count_patches(self, x: Tensor) -> tuple[int, int, int]:
        frames, rows, columns = (-(-size // cell) for size, cell in zip(x.shape[2:], self.patch_size, strict=True))
        return frames, rows, columns


def repeat_to_batch(values: Tensor, batch: int) -> Tensor:
    """Repeat the whole tensor until it has `batch` rows.

    Example:
        >>> repeat_to_batch(torch.tensor([1, 2]), 4).tolist()
        [1, 2, 1, 2]
    """
    if batch % len(values):
        raise ValueError(
            f"a batch of {batch} is not a multiple of the {len(values)} rows given: pass 1 or {batch} rows"
        )
    return values.repeat(batch // len(values), *[1] * (values.dim() - 1))


def build_attention_mask(mask: Tensor | None, batch: int) -> Tensor | None:
    """(batch, 1, 1, tokens), True at tokens to attend to; None if all are."""
    return None if mask is None else repeat_to_batch(mask, batch).ne(0)[:, None, None]


def _require_sizes(**sizes: Tensor | None) -> dict[str, Tensor]:
    given = {name: value for name, value in sizes.items() if value is not None}
    if len(given) < len(sizes):
        raise ValueError(
            f"pass {', '.join(sorted(set(sizes) - set(given)))} as tensors: the model is conditioned on them"
        )
    return given


def _check_floating(**inputs: Tensor) -> None:
    for name, value in inputs.items():
        if not value.is_floating_point():
            raise TypeError(f"{name} must hold floats, got {value.dtype}: convert it with .to(transformer.dtype)")


def _check_arguments(hidden_size: int, num_heads: int, skip_y_embedder: Any) -> None:
    if hidden_size % num_heads or hidden_size // num_heads % 2 or hidden_size % 4:
        raise ValueError(f"hidden_size {hidden_size} must be a multiple of 4 and of 2 * num_heads ({num_heads} heads)")
    if skip_y_embedder:
        raise ValueError("skip_y_embedder=True is not supported: pass text states and leave the embedding to the model")
