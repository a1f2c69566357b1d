"""Configurations and arguments that several tiny pipelines share."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import ClassifierFreeGuidance

from .case import STEPS
from .parts import NothingUnsafe, image_encoder, image_processor, picture

SIZE = {"height": 48, "width": 64}  # of a video
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
SD3 = {
    **HEADS,
    "sample_size": 8,
    "in_channels": 4,
    "out_channels": 4,
    "joint_attention_dim": 16,
    "caption_projection_dim": 24,
    "pooled_projection_dim": 8,
    "pos_embed_max_size": 16,
}
JOINT = {**HEADS, "num_single_layers": 2, "joint_attention_dim": 16, "in_channels": 16}
ROPE = {"axes_dims_rope": (4, 4, 4)}
PIXART = {
    **HEADS,
    "in_channels": 4,
    "out_channels": 8,
    "cross_attention_dim": 24,
    "caption_channels": 16,
    "sample_size": 8,
    "use_additional_conditions": False,
}
TEXT = {"prompt_embeds": (12, 16)}
POOLED = {**TEXT, "pooled_prompt_embeds": (8,)}
VACE = {**WAN, "num_layers": 3, "vace_layers": [0, 1], "vace_in_channels": 72}
CLIP = {**WAN, "image_dim": 16, "added_kv_proj_dim": 24}
QWEN = {**HEADS, **ROPE, "in_channels": 16, "out_channels": 4, "joint_attention_dim": 16}
FLUX = {**JOINT, **ROPE, "pooled_projection_dim": 8, "guidance_embeds": True}
COGVIDEOX = {
    "num_attention_heads": 2,
    "attention_head_dim": 16,
    "out_channels": 4,
    "time_embed_dim": 16,
    "text_embed_dim": 16,
    "num_layers": 2,
    "sample_width": 8,
    "sample_height": 8,
    "sample_frames": 9,
    "max_text_seq_length": 12,
    "use_rotary_positional_embeddings": True,
}
LTX = {
    **HEADS,
    "in_channels": 8,
    "out_channels": 8,
    "cross_attention_dim": 24,
    "caption_channels": 16,
}
UNET = {
    "block_out_channels": (8, 16),
    "layers_per_block": 1,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "UpBlock2D"),
    "cross_attention_dim": 16,
    "attention_head_dim": 4,
    "norm_num_groups": 2,
    "sample_size": 8,
}
XL = {
    **UNET,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 8,
    "projection_class_embeddings_input_dim": 56,
    "transformer_layers_per_block": (1, 2),
    "use_linear_projection": True,
}
UNET3D = {
    "block_out_channels": (8, 8),
    "layers_per_block": 1,
    "down_block_types": ("CrossAttnDownBlock3D", "DownBlock3D"),
    "up_block_types": ("UpBlock3D", "CrossAttnUpBlock3D"),
    "cross_attention_dim": 16,
    "attention_head_dim": 4,
    "norm_num_groups": 2,
}
CASCADE = {
    "conditioning_dim": 16,
    "block_out_channels": (16, 16),
    "num_attention_heads": (2, 2),
    "down_num_layers_per_block": (1, 1),
    "up_num_layers_per_block": (1, 1),
    "clip_text_pooled_in_channels": 8,
    "dropout": (0.0, 0.0),
}
UNCOUNTED: dict[str, Any] = {
    "told": {"steps": STEPS},
    "note": "the scheduler does not report the number of steps: `enable(pipe, steps=N)`",
}
UNSAFE: dict[str, Any] = {"requires_safety_checker": lambda: False}
LOOKING = {"image_encoder": image_encoder, "image_processor": image_processor}
FROM_IMAGE = {"image": picture}
I2V_TEXT = {"prompt_embeds": (512, 16)}  # Wan's cross attention takes all but the last 512 tokens for image tokens
