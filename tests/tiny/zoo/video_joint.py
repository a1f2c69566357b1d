"""Videos of text, whose blocks carry something beside the video: the text, or sound."""

from __future__ import annotations

from .case import FLOW, Case
from .configs import (
    GUIDER,
    HEADS,
    SIZE,
)
from .parts import (
    HUNYUAN15_VAE,
    LTX2_AUDIO,
    LTX2_VAE,
    MAGVIT,
    WAN_VAE,
    ltx2_connectors,
)

VIDEO_JOINT = (
    Case(
        "EasyAnimatePipeline",
        {
            "transformer": (
                "EasyAnimateTransformer3DModel",
                {
                    **HEADS,
                    "attention_head_dim": 16,
                    "in_channels": 4,
                    "out_channels": 4,
                    "patch_size": 2,
                    "mmdit_layers": 1,
                    "time_embed_dim": 8,
                    "text_embed_dim": 16,
                    "sample_width": 8,
                    "sample_height": 8,
                },
            ),
            "vae": MAGVIT,
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {"height": 64, "width": 64, "num_frames": 5},
    ),
    Case(
        "HunyuanVideo15Pipeline",
        {
            "transformer": (
                "HunyuanVideo15Transformer3DModel",
                {
                    **HEADS,
                    "in_channels": 9,
                    "out_channels": 4,
                    "num_refiner_layers": 1,
                    "mlp_ratio": 2.0,
                    "text_embed_dim": 16,
                    "text_embed_2_dim": 8,
                    "image_embed_dim": 8,
                    "rope_axes_dim": (4, 4, 4),
                    "target_size": 16,
                    "task_type": "t2v",
                },
            ),
            "vae": HUNYUAN15_VAE,
        },
        FLOW,
        {"prompt_embeds": (10, 16), "prompt_embeds_2": (6, 8)},
        {"prompt_embeds_mask": 10, "prompt_embeds_mask_2": 6},
        {**SIZE, "num_frames": 5},
        parts=GUIDER,
    ),
    Case(
        "LTX2Pipeline",
        {
            "transformer": (
                "LTX2VideoTransformer3DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "cross_attention_dim": 24,
                    "audio_in_channels": 4,
                    "audio_out_channels": 4,
                    "audio_num_attention_heads": 2,
                    "audio_attention_head_dim": 6,
                    "audio_cross_attention_dim": 12,
                    "caption_channels": 16,
                    "rope_double_precision": False,
                },
            ),
            "vae": LTX2_VAE,
            "audio_vae": LTX2_AUDIO,
        },
        FLOW,
        {"prompt_embeds": (8, 32)},
        {"prompt_attention_mask": 8},
        {
            "height": 64,
            "width": 64,
            "num_frames": 9,
            "stg_scale": 0.0,
            "audio_stg_scale": 0.0,
            "modality_scale": 1.0,
            "audio_modality_scale": 1.0,
        },
        parts={"connectors": ltx2_connectors},
        note="the video decides; the sound is predicted along its own line",
    ),
    Case(
        "MotifVideoPipeline",
        {
            "transformer": (
                "MotifVideoTransformer3DModel",
                {
                    **HEADS,
                    "in_channels": 9,
                    "out_channels": 4,
                    "num_single_layers": 2,
                    "mlp_ratio": 2.0,
                    "text_embed_dim": 16,
                    "rope_axes_dim": (4, 4, 4),
                },
            ),
            "vae": WAN_VAE,
        },
        FLOW,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIZE, "num_frames": 5},
        parts=GUIDER,
    ),
)
