"""Tiny builds of modular pipelines of video and sound whose blocks take other arguments than the usual pipeline."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import LTX2Guidance
from tests.tiny.common import component
from tests.tiny.zoo import ZOO
from tests.tiny.zoo.case import FLOW, STEPS, Case
from tests.tiny.zoo.configs import UNIPC
from tests.tiny.zoo.parts import SIDE, VISION, WAN_VAE, picture, video
from transformers import CLIPVisionConfig, CLIPVisionModel

COSMOS3: dict[str, Any] = {
    "transformer": (
        "Cosmos3OmniTransformer",
        {
            "dtype": "float32",
            "head_dim": 12,
            "hidden_size": 24,
            "intermediate_size": 32,
            "latent_channel": 4,
            "patch_latent_dim": 16,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "num_hidden_layers": 2,
            "vocab_size": 32,
            "rope_axes_dim": (2, 2, 2),
        },
    ),
    "vae": WAN_VAE,
}
COSMOS3_CALL = {**SIDE, "num_frames": 9, "cond_input_ids": [4, 5, 2], "uncond_input_ids": [6, 7, 2]}
H3 = {
    "num_attention_heads": 2,
    "attention_head_dim": 16,
    "hidden_size": 32,
    "num_layers": 2,
    "num_refiner_layers": 1,
    "ffn_dim": 32,
    "text_dim": 16,
    "freq_dim": 32,
    "time_embed_hidden_dim": 32,
    "time_embed_dim": 16,
    "rope_freq_dim": 2,
}
MUSIC3 = {
    "in_channels": 4,
    "condition_dim": 16,
    "num_layers": 2,
    "num_attention_heads": 2,
    "attention_head_dim": 8,
    "ff_inner_dim": 32,
    "rotary_dim": 4,
    "fourier_embedding_dim": 16,
}
ANIMATE2 = {
    "in_dim": 12,
    "dim": 24,
    "ffn_dim": 32,
    "freq_dim": 32,
    "text_dim": 16,
    "out_dim": 4,
    "num_heads": 2,
    "num_layers": 2,
    "use_img_emb": False,  # or its image embedding is 1280 wide
}
LTX2_TEXT = {"connector_prompt_embeds": (8, 16), "connector_audio_prompt_embeds": (8, 16)}
LTX2_GUIDER = {"guidance_scale": 3.0, "stg_scale": 1.0, "modality_scale": 3.0, "spatio_temporal_guidance_blocks": [1]}


def guider() -> LTX2Guidance:
    """Guidance of four branches: text, none, without some attention, and without the other modality."""
    return LTX2Guidance(**LTX2_GUIDER)


def ltx2(name: str) -> Case:
    """LTX2 and 2.5 differ in how they decode."""
    case = ZOO["LTX2"]
    size = {key: case.call[key] for key in ("height", "width", "num_frames")}
    size |= {"batch_size": 1, "dtype": torch.float32}
    guiders = {"guider": guider, "audio_guider": guider}
    return Case(name, case.models, FLOW, LTX2_TEXT, {"connector_attention_mask": 8}, size, guiders, note=case.note)


def image_encoder_of_224() -> CLIPVisionModel:
    """A tiny CLIP for images of the usual size, which its blocks ask for."""
    config = CLIPVisionConfig(**{**VISION.to_dict(), "image_size": 224, "patch_size": 56})
    return component(lambda: CLIPVisionModel(config), seed=8)


def animate2(name: str) -> Case:
    """Wan-Animate 2 takes a text of the reference as well."""
    models = {"transformer": ("WanAnimate2Transformer3DModel", ANIMATE2), "vae": WAN_VAE}
    text = {"prompt_embeds": (512, 16), "prompt_ref_embeds": (512, 16)}
    call = {**SIDE, "segment_frame_length": 9}
    media = {"image": picture, "driving_video": lambda: video(17)}
    return Case(name, models, FLOW, text, call=call, media=media, parts={"image_encoder": image_encoder_of_224})


MODULAR_VIDEO: tuple[Case, ...] = (
    Case("Cosmos3OmniModularPipeline", COSMOS3, UNIPC, {}, call=COSMOS3_CALL),
    Case(
        "Cosmos3DistilledModularPipeline",
        COSMOS3,
        ("FlowMatchEulerDiscreteScheduler", {}),
        {},
        call=COSMOS3_CALL,
        parts={"distilled_sigmas": lambda: torch.linspace(1, 1 / STEPS, STEPS).tolist()},
    ),
    Case(
        "MiniMaxH3ModularPipeline",
        {"transformer": ("MiniMaxH3Transformer3DModel", H3)},
        ("MiniMaxH3Scheduler", {}),
        {"prompt_embeds": (8, 16)},
        call={"height": 32, "width": 32, "num_frames": 124, "text_token_tags": torch.ones(8, dtype=torch.long)},
        guided=False,
    ),
    Case(
        "MiniMaxMusic3ModularPipeline",
        {
            "transformer": ("MiniMaxMusic3Transformer1DModel", MUSIC3),
            "condition_encoder": (
                "MiniMaxMusic3ConditionEncoder",
                {"condition_hidden_dim": 8, "num_condition_layers": 2, "out_dim": 16},
            ),
        },
        ("FlowMatchEulerDiscreteScheduler", {"invert_sigmas": True}),
        {"frame_hiddens": (300, 16)},
        call={"chunk_starts": [0, 100]},
        guided=False,
    ),
    animate2("WanAnimate2ModularPipeline"),
    animate2("WanAnimate2DistilledModularPipeline"),
    ltx2("EchoModularPipeline"),
    ltx2("LTX2ModularPipeline"),
    ltx2("LTX25ModularPipeline"),
)
