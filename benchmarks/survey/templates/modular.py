"""Tiny builds of modular pipelines whose blocks take another text than the pipeline of the same model."""

from __future__ import annotations

from typing import Any

import torch
from diffusers import LTX2Guidance
from tests.tiny.common import component
from tests.tiny.zoo import ZOO
from tests.tiny.zoo.case import FLOW, SHIFTED, STEPS, Case
from tests.tiny.zoo.configs import COSMOS, GUIDER, TEXT, UNIPC
from tests.tiny.zoo.parts import KL_FLUX2, QWEN_VAE, SIDE, VISION, WAN_VAE, picture, video
from transformers import CLIPVisionConfig, CLIPVisionModel

from .images import IMAGES

KNOWN = {case.pipeline: case for case in (*ZOO.values(), *IMAGES)}
CONDITIONER: dict[str, Any] = {
    "source_dim": 16,
    "target_dim": 16,
    "model_dim": 16,
    "num_layers": 1,
    "num_attention_heads": 2,
    "target_vocab_size": 32,
    "min_sequence_length": 12,
}
FLUX3: tuple[str, dict[str, Any]] = (
    "Flux3Transformer2DModel",
    {
        "in_channels": 16,
        "cond_in_channels": 16,
        "num_layers": 1,
        "num_single_layers": 2,
        "attention_head_dim": 16,
        "num_attention_heads": 2,
        "joint_attention_dim": 16,
        "axes_dims_rope": (4, 4, 4, 4),
    },
)
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


def words(*numbers: int) -> torch.Tensor:
    """The tokens of one prompt."""
    return torch.tensor([numbers])


def guider() -> LTX2Guidance:
    """Guidance of four branches: text, none, without some attention, and without the other modality."""
    return LTX2Guidance(**LTX2_GUIDER)


def ltx2(name: str) -> Case:
    """LTX2 and 2.5 differ in how they decode."""
    case = KNOWN["LTX2Pipeline"]
    size = {key: case.call[key] for key in ("height", "width", "num_frames")}
    size |= {"batch_size": 1, "dtype": torch.float32}
    guiders = {"guider": guider, "audio_guider": guider}
    return Case(name, case.models, FLOW, LTX2_TEXT, {"connector_attention_mask": 8}, size, guiders, note=case.note)


def qwen21(name: str) -> Case:
    """Qwen-Image 2.1 marks the places of images in its text."""
    case = KNOWN["QwenImage21Pipeline"]
    masks = {f"{prefix}image_pad_mask": torch.zeros(1, 10, dtype=torch.bool) for prefix in ("", "negative_")}
    return Case(name, case.models, SHIFTED, case.text, case.masks, {**SIDE, **masks}, GUIDER)


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


MODULAR: tuple[Case, ...] = (
    Case(
        "AnimaModularPipeline",
        {
            "transformer": ("CosmosTransformer3DModel", COSMOS),
            "text_conditioner": ("AnimaTextConditioner", CONDITIONER),
            "vae": QWEN_VAE,
        },
        FLOW,
        {"qwen_prompt_embeds": (10, 16)},
        {"qwen_attention_mask": 10, "t5_attention_mask": 4},
        {**SIDE, "t5_input_ids": words(4, 5, 2, 0), "negative_t5_input_ids": words(6, 7, 2, 0)},
    ),
    Case(
        "Ideogram4ModularPipeline",
        KNOWN["Ideogram4Pipeline"].models,
        FLOW,
        {"text_features": (10, 32)},
        call={"height": 64, "width": 64, "text_lengths": [10]},
    ),
    Case("Flux3ModularPipeline", {"transformer": FLUX3, "vae": KL_FLUX2}, FLOW, TEXT, call=SIDE),
    Case(
        "Flux3DistilledModularPipeline",
        {"transformer": (FLUX3[0], {**FLUX3[1], "flow_map": True}), "vae": KL_FLUX2},
        FLOW,
        TEXT,
        call=SIDE,
    ),
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
    qwen21("QwenImage21ModularPipeline"),
    qwen21("QwenImage21TurboModularPipeline"),
)
