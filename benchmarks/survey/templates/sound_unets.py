"""Tiny builds of pipelines with a U-Net on waves or spectrograms."""

from __future__ import annotations

from typing import Any

import transformers
from tests.tiny.common import component
from tests.tiny.zoo.case import DDIM, Case
from tests.tiny.zoo.configs import UNET
from tests.tiny.zoo.parts import KL

from benchmarks.survey.text_parts import SIZES, build_encoder

CLAP: dict[str, Any] = {**SIZES, "vocab_size": 32, "projection_dim": 8}
HEARD: dict[str, Any] = {  # an embedding of the sound stands where others have a class
    **UNET,
    "cross_attention_dim": (8, 16),
    "class_embed_type": "simple_projection",
    "projection_class_embeddings_input_dim": 8,
    "class_embeddings_concat": True,
}
WAVES: dict[str, Any] = {
    "block_out_channels": (32, 32, 32),
    "in_channels": 2,
    "out_channels": 2,
    "extra_in_channels": 64,
    "sample_size": 64,
    "sample_rate": 64,
    "use_timestep_embedding": False,
    "time_embedding_type": "fourier",
    "flip_sin_to_cos": True,
    "mid_block_type": "UNetMidBlock1D",
    "down_block_types": ("DownBlock1DNoSkip", "DownBlock1D", "AttnDownBlock1D"),
    "up_block_types": ("AttnUpBlock1D", "UpBlock1D", "UpBlock1DNoSkip"),
}
GREY = (KL[0], {**KL[1], "in_channels": 1, "out_channels": 1})
DOUBLY_HEARD: dict[str, Any] = {**UNET, "cross_attention_dim": ((None, 16, 16), (None, 16, 16))}


def speaking() -> Any:
    """The text encoder of sounds."""
    config = transformers.ClapTextConfig(**CLAP)
    return component(lambda: transformers.ClapTextModelWithProjection(config), seed=5)


def listening() -> Any:
    """The same in one model with an audio encoder."""
    config = transformers.ClapConfig(
        text_config=CLAP,
        audio_config={"hidden_size": 32, "patch_embeds_hidden_size": 4, "depths": [1], "num_attention_heads": [2]},
        projection_dim=8,
    )
    return component(lambda: transformers.ClapModel(config), seed=5)


def reading() -> Any:
    """A text encoder, and what continues its words: asked for their dtype only."""
    return build_encoder("T5EncoderModel", seed=7)


def vocoder() -> Any:
    """From a spectrogram to a wave."""
    config = transformers.SpeechT5HifiGanConfig(
        model_in_dim=16,
        sampling_rate=64,
        upsample_initial_channel=8,
        upsample_rates=[2, 2],
        upsample_kernel_sizes=[4, 4],
        resblock_kernel_sizes=[3],
        resblock_dilation_sizes=[[1]],
    )
    return component(lambda: transformers.SpeechT5HifiGan(config), seed=6)


SOUND_UNETS: tuple[Case, ...] = (
    Case("DanceDiffusionPipeline", {"unet": ("UNet1DModel", WAVES)}, ("IPNDMScheduler", {}), {}),
    Case(
        "AudioLDM2Pipeline",
        {"unet": ("AudioLDM2UNet2DConditionModel", DOUBLY_HEARD), "vae": GREY},
        DDIM,
        {"prompt_embeds": (12, 16), "generated_prompt_embeds": (8, 16)},
        {"attention_mask": 12},
        {"audio_length_in_s": 1.0},
        {"vocoder": vocoder, "text_encoder": listening, "text_encoder_2": reading, "language_model": reading},
    ),
)
