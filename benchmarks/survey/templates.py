"""Tiny builds for denoiser classes that the tests have none of: transformers."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import DDIM, FLOW, SHIFTED, Case
from tests.tiny.zoo.configs import CLIP, HEADS, I2V_TEXT, JOINT, LOOKING, ROPE, SIZE, TEXT, UNIPC, WAN
from tests.tiny.zoo.parts import KL, KL_SHIFTED, QWEN_VAE, SIDE, WAN_VAE, picture, video

HUNYUAN: dict[str, Any] = {
    **HEADS,
    "in_channels": 4,
    "out_channels": 4,
    "num_layers": 1,
    "num_single_layers": 1,
    "num_refiner_layers": 1,
    "mlp_ratio": 2.0,
    "text_embed_dim": 16,
    "pooled_projection_dim": 8,
    "rope_axes_dim": (4, 4, 4),
}
HUNYUAN_VAE: dict[str, Any] = {
    "latent_channels": 4,
    "block_out_channels": (8, 8, 8, 8),
    "layers_per_block": 1,
    "norm_num_groups": 4,
    "down_block_types": ("HunyuanVideoDownBlock3D",) * 4,
    "up_block_types": ("HunyuanVideoUpBlock3D",) * 4,
}
HUNYUAN_TEXT = {"prompt_embeds": (10, 16), "pooled_prompt_embeds": (8,)}
HUNYUAN_CALL = {**SIZE, "num_frames": 9, "true_cfg_scale": 3.0}
ZIMAGE: dict[str, Any] = {
    "in_channels": 4,
    "dim": 32,
    "n_layers": 2,
    "n_refiner_layers": 1,
    "n_heads": 2,
    "n_kv_heads": 2,
    "cap_feat_dim": 16,
    "axes_dims": [4, 6, 6],
    "axes_lens": [128, 32, 32],
}
JOY: dict[str, Any] = {
    "in_channels": 4,
    "hidden_size": 24,
    "num_attention_heads": 2,
    "text_dim": 16,
    "num_layers": 2,
    "rope_dim_list": [4, 4, 4],
}
HELIOS: dict[str, Any] = {**WAN, "rope_dim": (4, 4, 4)}
HELIOS_CALL = {
    "height": 64,
    "width": 64,
    "num_frames": 65,
    "num_latent_frames_per_chunk": 3,
    "history_sizes": [4, 2, 1],
}
KANDINSKY6: dict[str, Any] = {
    "in_visual_dim": 4,
    "out_visual_dim": 4,
    "in_text_dim": 16,
    "in_text_dim2": 8,
    "time_dim": 16,
    "model_dim": 24,
    "ff_dim": 32,
    "num_text_blocks": 1,
    "num_visual_blocks": 2,
    "axes_dims": (4, 4, 4),
    "in_audio_dim": 4,
    "out_audio_dim": 4,
}

TEMPLATES: tuple[Case, ...] = (
    Case(
        "HunyuanVideoPipeline",
        {"transformer": ("HunyuanVideoTransformer3DModel", HUNYUAN)},
        FLOW,
        HUNYUAN_TEXT,
        {"prompt_attention_mask": 10},
        HUNYUAN_CALL,
    ),
    Case(
        "HunyuanVideoFramepackPipeline",
        {
            "transformer": (
                "HunyuanVideoFramepackTransformer3DModel",
                {**HUNYUAN, "has_clean_x_embedder": True},
            )
        },
        FLOW,
        HUNYUAN_TEXT,
        {"prompt_attention_mask": 10},
        {**HUNYUAN_CALL, "latent_window_size": 3, "num_frames": 18},
    ),
    Case(
        "MochiPipeline",
        {
            "transformer": (
                "MochiTransformer3DModel",
                {**HEADS, "pooled_projection_dim": 16, "in_channels": 4, "text_embed_dim": 16, "time_embed_dim": 4},
            )
        },
        ("FlowMatchEulerDiscreteScheduler", {"invert_sigmas": True}),
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {**SIDE, "num_frames": 7},
    ),
    Case(
        "ZImagePipeline",
        {"transformer": ("ZImageTransformer2DModel", ZIMAGE), "vae": KL_SHIFTED},
        FLOW,
        TEXT,
        call=SIDE,
    ),
    Case(
        "HeliosPipeline",
        {"transformer": ("HeliosTransformer3DModel", HELIOS), "vae": WAN_VAE},
        ("HeliosScheduler", {"stages": 1, "stage_range": [0, 1], "gamma": 1.0}),
        TEXT,
        call=HELIOS_CALL,
    ),
    Case(
        "HeliosPyramidPipeline",
        {"transformer": ("HeliosTransformer3DModel", HELIOS), "vae": WAN_VAE},
        ("HeliosScheduler", {}),
        TEXT,
        call={**HELIOS_CALL, "pyramid_num_inference_steps_list": [12, 12, 12]},
    ),
    Case(
        "Ideogram4Pipeline",
        {
            name: (
                "Ideogram4Transformer2DModel",
                {
                    "in_channels": 16,
                    "num_layers": 2,
                    "attention_head_dim": 12,
                    "num_attention_heads": 2,
                    "intermediate_size": 32,
                    "adaln_dim": 16,
                    "llm_features_dim": 32,
                    "mrope_section": (2, 2, 2),
                },
            )
            for name in ("transformer", "unconditional_transformer")
        },
        SHIFTED,
        {},
        call={"height": 256, "width": 256, "guidance_scale": 4.0, "guidance_schedule": None},
    ),
    Case(
        "Kandinsky6TI2VAPipeline",
        {
            "transformer": ("Kandinsky6Transformer3DModel", KANDINSKY6),
            "vae": ("AutoencoderKLHunyuanVideo", HUNYUAN_VAE),
        },
        ("PiflowScheduler", {}),
        {"prompt_embeds": (10, 16), "pooled_prompt_embeds": (8,)},
        call={**SIDE, "num_frames": 9},
    ),
    Case(
        "WanAnimatePipeline",
        {
            "transformer": (
                "WanAnimateTransformer3DModel",
                {
                    **CLIP,
                    "in_channels": 12,
                    "latent_channels": 4,
                    "motion_encoder_channel_sizes": {"4": 16, "8": 16, "16": 16},
                    "motion_encoder_size": 16,
                    "motion_style_dim": 8,
                    "motion_dim": 4,
                    "motion_encoder_dim": 16,
                    "face_encoder_hidden_dim": 16,
                    "face_encoder_num_heads": 2,
                    "inject_face_latents_blocks": 2,
                },
            ),
            "vae": WAN_VAE,
        },
        UNIPC,
        I2V_TEXT,
        call={"height": 64, "width": 64, "segment_frame_length": 9, "guidance_scale": 3.0},
        media={"image": picture, "pose_video": lambda: video(17), "face_video": lambda: faces(17)},
        parts=LOOKING,
    ),
    Case(
        "QwenImage21Pipeline",
        {
            "transformer": (
                "QwenImage21Transformer2DModel",
                {**HEADS, **ROPE, "in_channels": 4, "out_channels": 4, "context_in_dim": 16},
            )
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_embeds_mask": 10},
        {**SIDE, "true_cfg_scale": 3.0},
    ),
    Case(
        "LongCatImagePipeline",
        {"transformer": ("LongCatImageTransformer2DModel", {**JOINT, **ROPE, "pooled_projection_dim": 16})},
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call={**SIDE, "enable_prompt_rewrite": False},
    ),
    Case(
        "NucleusMoEImagePipeline",
        {
            "transformer": (
                "NucleusMoEImageTransformer2DModel",
                {
                    **HEADS,
                    **ROPE,
                    "num_layers": 5,
                    "in_channels": 16,
                    "out_channels": 4,
                    "joint_attention_dim": 16,
                    "num_experts": 4,
                    "moe_intermediate_dim": 16,
                    "capacity_factors": 8.0,
                },
            ),
            "vae": QWEN_VAE,
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        {"prompt_embeds_mask": 10},
        SIDE,
    ),
    Case(
        "GlmImagePipeline",
        {
            "transformer": (
                "GlmImageTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "attention_head_dim": 16,
                    "text_embed_dim": 16,
                    "time_embed_dim": 16,
                    "condition_dim": 8,
                    "prior_vq_quantizer_codebook_size": 32,
                },
            ),
            "vae": KL,
        },
        SHIFTED,
        {"prompt_embeds": (10, 16)},
        call=SIDE,
    ),
    Case(
        "JoyImageEditPipeline",
        {"transformer": ("JoyImageEditTransformer3DModel", JOY), "vae": WAN_VAE},
        FLOW,
        TEXT,
        {"prompt_embeds_mask": 12},
        SIDE,
    ),
    Case(
        "JoyImageEditPlusPipeline",
        {"transformer": ("JoyImageEditPlusTransformer3DModel", JOY), "vae": WAN_VAE},
        FLOW,
        TEXT,
        {"prompt_embeds_mask": 12},
        SIDE,
    ),
    Case(
        "DiTPipeline",
        {
            "transformer": (
                "DiTTransformer2DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 8,
                    "sample_size": 8,
                    "num_embeds_ada_norm": 10,
                    "norm_num_groups": 4,
                },
            ),
            "vae": KL,
        },
        DDIM,
        {},
        call={"class_labels": [1], "output_type": "np"},
    ),
    Case(
        "ChronoEditPipeline",
        {
            "transformer": ("ChronoEditTransformer3DModel", {**CLIP, "in_channels": 12, "rope_temporal_skip_len": 2}),
            "vae": WAN_VAE,
        },
        FLOW,
        I2V_TEXT,
        call={**SIDE, "num_frames": 9},
        parts=LOOKING,
    ),
    Case(
        "AnyFlowFARPipeline",
        {"transformer": ("AnyFlowFARTransformer3DModel", {**WAN, "chunk_partition": (1, 1, 1), "full_chunk_limit": 2})},
        ("FlowMapEulerDiscreteScheduler", {}),
        TEXT,
        call={**SIZE, "num_frames": 9, "guidance_scale": 4.0},
    ),
    Case(
        "OmniGenPipeline",
        {
            "transformer": (
                "OmniGenTransformer2DModel",
                {
                    "hidden_size": 16,
                    "num_attention_heads": 2,
                    "num_key_value_heads": 2,
                    "intermediate_size": 16,
                    "num_layers": 2,
                    "vocab_size": 64,
                    "max_position_embeddings": 512,
                    "original_max_position_embeddings": 512,
                    "rope_scaling": {"long_factor": [1.0] * 4, "short_factor": [1.0] * 4},
                    "time_step_dim": 8,
                },
            ),
            "vae": KL,
        },
        ("FlowMatchEulerDiscreteScheduler", {"invert_sigmas": True, "num_train_timesteps": 1}),
        {},
        call=SIDE,
    ),
    Case(
        "BriaFiboPipeline",
        {
            "transformer": (
                "BriaFiboTransformer2DModel",
                {**JOINT, **ROPE, "in_channels": 4, "text_encoder_dim": 16, "joint_attention_dim": 32},
            ),
            "vae": WAN_VAE,
        },
        SHIFTED,
        {},
        call=SIDE,
    ),
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
CONFIGS: dict[str, dict[str, Any]] = {"AutoencoderKLHunyuanVideo": HUNYUAN_VAE}


def faces(frames: int) -> list[Any]:
    """A video of faces, as small as the motion encoder takes it."""
    return [picture(seed).resize((16, 16)) for seed in range(frames)]
