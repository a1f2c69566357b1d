"""Tiny builds for denoiser classes that the tests have none of: sound."""

from __future__ import annotations

from typing import Any

import transformers
from tests.tiny.zoo.case import Case

from benchmarks.survey.media import sound
from benchmarks.survey.text_parts import build_text_part

OOBLECK: dict[str, Any] = {
    "encoder_hidden_size": 6,
    "downsampling_ratios": [1, 2],
    "channel_multiples": [2, 4],
    "decoder_channels": 3,
    "audio_channels": 2,
}
STABLE_AUDIO_3 = {
    "transformer": (
        "StableAudio3DiTModel",
        {
            "io_channels": 4,
            "embed_dim": 32,
            "depth": 2,
            "num_heads": 2,
            "cond_token_dim": 16,
            "global_cond_dim": 16,
            "local_add_cond_dim": 5,
            "timestep_features_dim": 16,
            "num_memory_tokens": 2,
        },
    ),
    "vae": (
        "AutoencoderSAME",
        {
            "patch_size": 4,
            "encoder_channels": 8,
            "encoder_c_mults": (1,),
            "encoder_strides": (2,),
            "encoder_transformer_depths": (1,),
            "latent_dim": 4,
            "dim_heads": 4,
            "sampling_rate": 64,
        },
    ),
    "duration_embedder": ("StableAudio3DurationEmbedder", {"output_dim": 16, "fourier_dim": 8}),
}
HIDDEN = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 8,
}


def language_model() -> Any:
    """The text encoder of AceStep, which its pipeline has no class for."""
    return build_text_part("text_encoder", (transformers.Qwen3Model,))


def stable_audio_3(name: str) -> Case:
    """Three pipelines of one model."""
    call = {"duration": 2.0, "guidance_scale": 4.0}
    text = {"prompt_embeds": (8, 16)}
    scheduler = ("FlowMatchEulerDiscreteScheduler", {})
    heard = {"audio": lambda: sound(128)}
    return Case(name, STABLE_AUDIO_3, scheduler, text, {"encoder_attention_mask": 8}, call, media=heard)


SOUND: tuple[Case, ...] = (
    Case(
        "StableAudioPipeline",
        {
            "transformer": (
                "StableAudioDiTModel",
                {
                    "sample_size": 4,
                    "in_channels": 3,
                    "num_layers": 2,
                    "attention_head_dim": 4,
                    "num_attention_heads": 2,
                    "num_key_value_attention_heads": 2,
                    "out_channels": 3,
                    "cross_attention_dim": 4,
                    "time_proj_dim": 8,
                    "global_states_input_dim": 8,
                    "cross_attention_input_dim": 4,
                },
            ),
            "vae": ("AutoencoderOobleck", {**OOBLECK, "decoder_input_channels": 3, "sampling_rate": 4}),
            "projection_model": (
                "StableAudioProjectionModel",
                {"text_encoder_dim": 4, "conditioning_dim": 4, "min_value": 0, "max_value": 32},
            ),
        },
        ("EDMDPMSolverMultistepScheduler", {"sigma_data": 1.0, "prediction_type": "v_prediction"}),
        {"prompt_embeds": (10, 4)},
        call={"audio_end_in_s": 0.5},
    ),
    stable_audio_3("StableAudio3Pipeline"),
    stable_audio_3("StableAudio3AudioToAudioPipeline"),
    stable_audio_3("StableAudio3InpaintPipeline"),
    Case(
        "AceStepPipeline",
        {
            "transformer": (
                "AceStepTransformer1DModel",
                {**HIDDEN, "num_hidden_layers": 2, "in_channels": 12, "audio_acoustic_hidden_dim": 4},
            ),
            "condition_encoder": (
                "AceStepConditionEncoder",
                {
                    **HIDDEN,
                    "text_hidden_dim": 16,
                    "timbre_hidden_dim": 4,
                    "num_lyric_encoder_hidden_layers": 1,
                    "num_timbre_encoder_hidden_layers": 1,
                },
            ),
            "vae": ("AutoencoderOobleck", {**OOBLECK, "decoder_input_channels": 4, "sampling_rate": 16}),
        },
        ("FlowMatchEulerDiscreteScheduler", {"num_train_timesteps": 1}),
        {},
        call={"audio_duration": 2.0},
        parts={"text_encoder": language_model},
    ),
    Case(
        "LongCatAudioDiTPipeline",
        {
            "transformer": (
                "LongCatAudioDiTTransformer",
                {"dit_dim": 24, "dit_depth": 2, "dit_heads": 2, "dit_text_dim": 16, "latent_dim": 4},
            ),
            "vae": (
                "LongCatAudioDiTVae",
                {
                    "channels": 4,
                    "c_mults": [1, 2],
                    "strides": [2],
                    "latent_dim": 4,
                    "encoder_latent_dim": 8,
                    "downsampling_ratio": 2,
                    "sample_rate": 16,
                },
            ),
        },
        ("FlowMatchEulerDiscreteScheduler", {"invert_sigmas": True}),
        {},
        call={"audio_duration_s": 1.0},
    ),
)
