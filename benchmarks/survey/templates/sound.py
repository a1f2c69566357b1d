"""Tiny builds for denoiser classes that the tests have none of: sound."""

from __future__ import annotations

from tests.tiny.zoo.case import Case

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
            )
        },
        ("EDMDPMSolverMultistepScheduler", {}),
        {"prompt_embeds": (10, 4)},
        call={"audio_end_in_s": 0.5},
    ),
)
