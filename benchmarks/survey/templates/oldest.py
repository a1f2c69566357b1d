"""Tiny builds for denoiser classes that no other pipeline has: waves, tokens of a codebook, spectrograms, tiles."""

from __future__ import annotations

from typing import Any

import transformers
from diffusers.pipelines.deprecated.vq_diffusion.pipeline_vq_diffusion import LearnedClassifierFreeSamplingEmbeddings
from tests.tiny.common import component
from tests.tiny.zoo.case import DDIM, Case
from tests.tiny.zoo.configs import UNET
from tests.tiny.zoo.parts import KL, picture

from benchmarks.survey.text_parts import SIZES, build_encoder

from .pixels import MOVQ

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
CODES: dict[str, Any] = {
    "num_attention_heads": 2,
    "attention_head_dim": 12,
    "num_layers": 2,
    "cross_attention_dim": 16,
    "attention_bias": True,
    "sample_size": 4,
    "num_vector_embeds": 17,
    "num_embeds_ada_norm": 100,
    "norm_type": "ada_norm",
    "activation_fn": "geglu-approximate",
}


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


def unguided() -> Any:
    """What stands for no text."""
    return component(lambda: LearnedClassifierFreeSamplingEmbeddings(learnable=True, hidden_size=16, length=77), seed=4)


OLDEST: tuple[Case, ...] = (
    Case("DanceDiffusionPipeline", {"unet": ("UNet1DModel", WAVES)}, ("IPNDMScheduler", {}), {}),
    Case(
        "VQDiffusionPipeline",
        {
            "transformer": ("Transformer2DModel", CODES),
            "vqvae": ("VQModel", {**MOVQ[1], "num_vq_embeddings": 17, "norm_type": "group"}),
        },
        ("VQDiffusionScheduler", {"num_vec_classes": 17}),
        {},
        call={"output_type": "np"},
        parts={"learned_classifier_free_sampling_embeddings": unguided},
    ),
    Case(
        "AudioLDM2Pipeline",
        {"unet": ("AudioLDM2UNet2DConditionModel", DOUBLY_HEARD), "vae": GREY},
        DDIM,
        {"prompt_embeds": (12, 16), "generated_prompt_embeds": (8, 16)},
        {"attention_mask": 12},
        {"audio_length_in_s": 1.0},
        {"vocoder": vocoder, "text_encoder": listening, "text_encoder_2": reading, "language_model": reading},
    ),
    Case(
        "Kandinsky6SRPipeline",
        {
            "transformer": (
                "Kandinsky6SRTransformer3DModel",
                {
                    "in_visual_dim": 4,
                    "out_visual_dim": 4,
                    "time_dim": 16,
                    "model_dim": 32,
                    "ff_dim": 32,
                    "num_visual_blocks": 2,
                    "axes_dims": (4, 6, 6),
                    "tile_sizes": ((64, 64),),
                },
            ),
            "vae": (
                "Kandinsky6SRVAE",
                {
                    "latent_channels": 4,
                    "encoder_block_out_channels": (8, 8, 8, 8),
                    "decoder_block_out_channels": (8, 8, 8, 8),
                    "layers_per_block": 1,
                },
            ),
        },
        ("FlowMatchEulerDiscreteScheduler", {}),
        {},
        call={"resolution_scale": 2, "output_type": "pt"},
        media={"video": lambda: [picture(seed).resize((32, 32)) for seed in range(5)]},
    ),
)
