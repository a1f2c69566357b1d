"""Tiny builds for denoiser classes that the tests have none of: video."""

from __future__ import annotations

from typing import Any

from tests.tiny.hunyuan import SIZES as HUNYUAN
from tests.tiny.zoo.case import FLOW, Case
from tests.tiny.zoo.configs import CLIP, I2V_TEXT, KANDINSKY, LOOKING, SIZE, TEXT, UNIPC, WAN
from tests.tiny.zoo.parts import LTX2_VAE, SIDE, WAN_VAE, picture, video

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
HELIOS: dict[str, Any] = {**WAN, "rope_dim": (4, 4, 4)}
HELIOS_CALL = {
    "height": 64,
    "width": 64,
    "num_frames": 65,
    "num_latent_frames_per_chunk": 3,
    "history_sizes": [4, 2, 1],
}
KANDINSKY6: dict[str, Any] = {**KANDINSKY, "in_audio_dim": 4, "out_audio_dim": 4}
SANA_WORLD: dict[str, Any] = {
    "in_channels": 4,
    "num_layers": 2,
    "hidden_size": 32,
    "num_attention_heads": 2,
    "softmax_every_n": 2,
    "linear_head_dim": 16,
    "chunk_plucker_post_attn_blocks": 2,
    "caption_channels": 16,
}

VIDEO: tuple[Case, ...] = (
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
        "SanaWMPipeline",
        {
            "transformer": ("SanaWMTransformer3DModel", SANA_WORLD),
            "vae": (LTX2_VAE[0], {**LTX2_VAE[1], "spatial_compression_ratio": 8}),
        },
        FLOW,
        {"prompt_embeds": (1, 12, 16)},
        {"prompt_attention_mask": 12},
        {"height": 64, "width": 64, "num_frames": 9, "action": "w-8", "intrinsics": [64.0, 64.0, 32.0, 32.0]},
        media={"image": picture},
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
CONFIGS: dict[str, dict[str, Any]] = {"AutoencoderKLHunyuanVideo": HUNYUAN_VAE}


def faces(frames: int) -> list[Any]:
    """A video of faces, as small as the motion encoder takes it."""
    return [picture(seed).resize((16, 16)) for seed in range(frames)]
