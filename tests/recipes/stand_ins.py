"""Modules of ours with the names and the arguments of other programs' models; the real ones are held against them.

Each answers with a tenth of its latent and ten times its conditioning, so a prediction from another branch is far off.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class Core(nn.Module):
    """What every stand-in computes; it runs as often as the model really does."""

    def forward(self, latent: Tensor, time: Tensor, condition: Tensor) -> Tensor:
        constant = 10 * condition.flatten(1).mean(1)
        return (0.1 + time.flatten()[0].sin() / 50) * latent + constant.view(-1, *[1] * (latent.ndim - 1))


class StandIn(nn.Module):
    """A model with a core."""

    def __init__(self) -> None:
        super().__init__()
        self.core = Core()


class WanModel21(StandIn):
    """Lists in, a list out: one entry per sample."""

    def forward(
        self, x: list[Tensor], t: Tensor, context: list[Tensor], seq_len: int, clip_fea: Any = None, y: Any = None
    ) -> list[Tensor]:
        return [self.core(u[None], t, c[None])[0] for u, c in zip(x, context, strict=True)]


class WanModel22(StandIn):
    """As Wan 2.1, without the image's features; its time may be one number per token."""

    def forward(self, x: list[Tensor], t: Tensor, context: list[Tensor], seq_len: int, y: Any = None) -> list[Tensor]:
        return [self.core(u[None], t, c[None])[0] for u, c in zip(x, context, strict=True)]


class MusubiWanModel(StandIn):
    """musubi-tuner: as Wan 2.1, and blocks may be left out."""

    def forward(
        self,
        x: list[Tensor],
        t: Tensor,
        context: list[Tensor],
        seq_len: int,
        clip_fea: Any = None,
        y: Any = None,
        skip_block_indices: Any = None,
        f_indices: Any = None,
    ) -> list[Tensor]:
        return [self.core(u[None], t, c[None])[0] for u, c in zip(x, context, strict=True)]


class HYVideoDiffusionTransformer(StandIn):
    """HunyuanVideo: a dictionary out, and both branches of guidance in one batch."""

    def forward(
        self,
        x: Tensor,
        t: Tensor,
        text_states: Any = None,
        text_mask: Any = None,
        text_states_2: Any = None,
        freqs_cos: Any = None,
        freqs_sin: Any = None,
        guidance: Any = None,
        return_dict: bool = True,
    ) -> Any:
        predicted = self.core(x, t, text_states)
        return {"x": predicted} if return_dict else predicted


class HunyuanVideo15Transformer(StandIn):
    """HunyuanVideo 1.5: latent and condition in one tensor, of which the first channels are the latent."""

    def forward(
        self,
        hidden_states: Tensor,
        timestep: Tensor,
        text_states: Tensor,
        text_states_2: Any,
        encoder_attention_mask: Any,
        timestep_r: Any = None,
        vision_states: Any = None,
        output_features: bool = False,
        output_features_stride: int = 8,
        attention_kwargs: Any = None,
        freqs_cos: Any = None,
        freqs_sin: Any = None,
        return_dict: bool = False,
        guidance: Any = None,
        mask_type: str = "t2v",
        extra_kwargs: Any = None,
    ) -> Any:
        return self.core(hidden_states[:, :4], timestep, text_states), None


class HunyuanVideoTransformer3DModelPacked(StandIn):
    """FramePack: what was made before comes in beside the latent; a tuple out."""

    def forward(
        self,
        hidden_states: Tensor,
        timestep: Tensor,
        encoder_hidden_states: Tensor,
        encoder_attention_mask: Any,
        pooled_projections: Any,
        guidance: Any,
        latent_indices: Any = None,
        clean_latents: Any = None,
        clean_latent_indices: Any = None,
        clean_latents_2x: Any = None,
        clean_latent_2x_indices: Any = None,
        clean_latents_4x: Any = None,
        clean_latent_4x_indices: Any = None,
        image_embeddings: Any = None,
        attention_kwargs: Any = None,
        return_dict: bool = True,
    ) -> Any:
        return (self.core(hidden_states, timestep, encoder_hidden_states),)


class MMDiTModel(StandIn):
    """Open-Sora 2.0: tokens in, three branches of guidance in one batch."""

    def forward(
        self,
        img: Tensor,
        img_ids: Tensor,
        txt: Tensor,
        txt_ids: Tensor,
        timesteps: Tensor,
        y_vec: Tensor,
        cond: Any = None,
        guidance: Any = None,
        **kwargs: Any,
    ) -> Tensor:
        return self.core(img, timesteps, txt)


class DiffusionTransformer3D(StandIn):
    """Kandinsky 6: video with its channels last, and sound beside it; both come back in a tuple."""

    is_multimodal, in_visual_dim = True, 4

    def __init__(self, sound: bool = True) -> None:
        super().__init__()
        self.sound = nn.Identity() if sound else None  # whether the sound goes its own way

    def forward(
        self,
        x_video: Any,
        x_audio: Any,
        text_embed: Any,
        pooled_text_embed: Any,
        time: Any,
        visual_rope: Any,
        audio_rope: Any,
        text_rope: Any,
        attention_mask: Any = None,
        visual_token_type_ids: Any = None,
    ) -> Any:
        video = self.core(x_video, time, text_embed)
        return video, video.reshape(x_audio.shape) if self.sound is None else -x_audio


# Found by the names of the classes they stand for.
for stand_in in (WanModel21, WanModel22, MusubiWanModel):
    stand_in.__name__ = "WanModel"
HunyuanVideo15Transformer.__name__ = "HunyuanVideo_1_5_DiffusionTransformer"


def noise(seed: int, *shape: int) -> Tensor:
    """Where a generation begins."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def times(steps: int) -> list[Tensor]:
    """From 1000 down, each a tensor of its own."""
    return list(torch.linspace(1000, 1000 / steps, steps))
