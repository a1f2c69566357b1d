"""Pipelines that make videos of text."""

from __future__ import annotations

import torch
from diffusers import ClassifierFreeGuidance

from .case import DDIM, FLOW, FLOW_DPM, Case
from .parts import HUNYUAN15_VAE, LTX2_AUDIO, LTX2_VAE, MAGVIT, WAN_VAE, NothingUnsafe, ltx2_connectors

SIZE = {"height": 48, "width": 64}
GUIDER = {"guider": lambda: ClassifierFreeGuidance(guidance_scale=4.0)}
SAFE = {"safety_checker": NothingUnsafe}
LENGTHS = {f"{which}prompt_cu_seqlens": lambda: torch.tensor([0, 10], dtype=torch.int32) for which in ("", "negative_")}
HEADS = {"num_attention_heads": 2, "attention_head_dim": 12, "num_layers": 2}
WAN = {**HEADS, "in_channels": 4, "out_channels": 4, "text_dim": 16, "freq_dim": 32, "ffn_dim": 32}
UNIPC = ("UniPCMultistepScheduler", {"prediction_type": "flow_prediction", "use_flow_sigmas": True, "flow_shift": 3.0})
KANDINSKY = {
    "in_visual_dim": 4,
    "in_text_dim": 16,
    "in_text_dim2": 8,
    "time_dim": 16,
    "out_visual_dim": 4,
    "model_dim": 24,
    "ff_dim": 32,
    "num_text_blocks": 1,
    "num_visual_blocks": 2,
    "axes_dims": (4, 4, 4),
}
COSMOS = {
    **HEADS,
    "in_channels": 4,
    "out_channels": 4,
    "attention_head_dim": 16,
    "mlp_ratio": 2,
    "text_embed_dim": 16,
    "adaln_lora_dim": 4,
    "max_size": (4, 32, 32),
    "concat_padding_mask": False,  # resizing it needs torchvision
    "extra_pos_embed_type": "learnable",
}

VIDEO = (
    Case(
        "AllegroPipeline",
        {
            "transformer": (
                "AllegroTransformer3DModel",
                {
                    **HEADS,
                    "attention_head_dim": 24,
                    "cross_attention_dim": 48,
                    "sample_height": 8,
                    "sample_width": 8,
                    "sample_frames": 8,
                    "caption_channels": 16,
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {"height": 64, "width": 64, "num_frames": 8, "clean_caption": False, "negative_prompt": None},
    ),
    Case(
        "LattePipeline",
        {
            "transformer": (
                "LatteTransformer3DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 8,
                    "cross_attention_dim": 24,
                    "sample_size": 8,
                    "patch_size": 2,
                    "attention_bias": True,
                    "activation_fn": "gelu-approximate",
                    "num_embeds_ada_norm": 1000,
                    "norm_type": "ada_norm_single",
                    "norm_elementwise_affine": False,
                    "caption_channels": 16,
                    "video_length": 2,
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16)},
        call={"height": 64, "width": 64, "video_length": 2, "clean_caption": False, "negative_prompt": None},
    ),
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
        "SkyReelsV2Pipeline",
        {"transformer": ("SkyReelsV2Transformer3DModel", WAN)},
        UNIPC,
        {"prompt_embeds": (12, 16)},
        call={**SIZE, "num_frames": 9},
    ),
    Case(
        "SkyReelsV2DiffusionForcingPipeline",
        {"transformer": ("SkyReelsV2Transformer3DModel", WAN)},
        UNIPC,
        {"prompt_embeds": (12, 16)},
        call={**SIZE, "num_frames": 9, "prompt": None},
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
        "CosmosTextToWorldPipeline",
        {"transformer": ("CosmosTransformer3DModel", COSMOS)},
        (
            "EDMEulerScheduler",
            {"sigma_min": 0.002, "sigma_max": 80, "sigma_data": 0.5, "final_sigmas_type": "sigma_min"},
        ),
        {"prompt_embeds": (10, 16)},
        call={**SIZE, "num_frames": 9},
        parts=SAFE,
    ),
    Case(
        "Kandinsky5T2VPipeline",
        {"transformer": ("Kandinsky5Transformer3DModel", {**KANDINSKY, "visual_cond": True})},
        FLOW,
        {"prompt_embeds_qwen": (10, 16), "prompt_embeds_clip": (8,)},
        call={**SIZE, "num_frames": 5},
        media=LENGTHS,
    ),
    Case(
        "SanaVideoPipeline",
        {
            "transformer": (
                "SanaVideoTransformer3DModel",
                {
                    **HEADS,
                    "in_channels": 4,
                    "out_channels": 4,
                    "num_cross_attention_heads": 2,
                    "cross_attention_head_dim": 12,
                    "cross_attention_dim": 24,
                    "caption_channels": 16,
                    "sample_size": 8,
                },
            )
        },
        FLOW_DPM,
        {"prompt_embeds": (10, 16)},
        {"prompt_attention_mask": 10},
        {"height": 64, "width": 64, "frames": 5, "use_resolution_binning": False, "negative_prompt": None},
    ),
    Case(
        "TextToVideoSDPipeline",
        {
            "unet": (
                "UNet3DConditionModel",
                {
                    "block_out_channels": (8, 8),
                    "layers_per_block": 1,
                    "down_block_types": ("CrossAttnDownBlock3D", "DownBlock3D"),
                    "up_block_types": ("UpBlock3D", "CrossAttnUpBlock3D"),
                    "cross_attention_dim": 16,
                    "attention_head_dim": 4,
                    "norm_num_groups": 2,
                    "sample_size": 8,
                },
            )
        },
        DDIM,
        {"prompt_embeds": (10, 16)},
        call={"height": 64, "width": 64, "num_frames": 2},
    ),
    Case(
        "AnyFlowPipeline",
        {"transformer": ("AnyFlowTransformer3DModel", WAN)},
        ("FlowMapEulerDiscreteScheduler", {}),
        {"prompt_embeds": (12, 16)},
        call={**SIZE, "num_frames": 9, "guidance_scale": 4.0},
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
        note="the video decides; what the model predicts of the sound is held on reuse",
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
