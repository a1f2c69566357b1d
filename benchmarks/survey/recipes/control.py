"""What single classes with a ControlNet or an adapter need beyond their templates."""

from __future__ import annotations

from typing import Any

from tests.tiny.zimage import SIZES as ZIMAGE
from tests.tiny.zoo import ZOO
from tests.tiny.zoo.configs import UNET, XL
from tests.tiny.zoo.parts import picture

from benchmarks.survey.generic import Recipe
from benchmarks.survey.media import mask

from .common import DEEP_VAE, LISTED, unet

SPARSE = {
    **{key: UNET[key] for key in ("block_out_channels", "layers_per_block", "cross_attention_dim", "norm_num_groups")},
    "conditioning_embedding_out_channels": (4, 4, 4, 8),
    "conditioning_channels": 4,
    "down_block_types": ("DownBlockMotion", "CrossAttnDownBlockMotion"),
    "attention_head_dim": 4,
    "motion_num_attention_heads": 2,
    "motion_max_seq_length": 16,
}
FRAMES = {"num_frames": 9}
ATTENTION_FIRST = {  # as in the released models: what an adapter adds is of the size before a layer halves it
    "down_block_types": ("CrossAttnDownBlock2D", "DownBlock2D"),
    "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D"),
}
THREE_LAYERS = {
    "block_out_channels": (8, 16, 16),
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    "transformer_layers_per_block": (1, 1, 1),
}
STEERED = {
    **{key: ZIMAGE[key] for key in ("dim", "n_refiner_layers", "n_heads", "n_kv_heads")},
    "control_layers_places": [0],
    "control_refiner_layers_places": [0],
}
UNET_ONLY = ("up_block_types", "sample_size")
UNION = {
    **{key: value for key, value in XL.items() if key not in UNET_ONLY},
    "conditioning_embedding_out_channels": (4, 4, 4, 8),
    "num_trans_channel": 8,
    "num_trans_head": 2,
    "num_proj_channel": 8,
}


def known(name: str, **changed: Any) -> dict[str, Any]:
    """The configuration of a transformer that the tests build, with changes."""
    return {**ZOO[name].models["transformer"][1], **changed}


def adapted(config: dict[str, Any], layers: dict[str, Any], factor: int, kind: str, *channels: int) -> Recipe:
    """A U-Net with a T2I adapter."""
    sizes = {"in_channels": 3, "channels": channels, "num_res_blocks": 1, "downscale_factor": factor}
    adapter = {**sizes, "adapter_type": kind}
    return Recipe(models={**unet(config, **layers), "adapter": ("T2IAdapter", adapter)})


def steered(channels: int) -> Recipe:
    """Z-Image with a ControlNet for so many channels."""
    control = ("ZImageControlNetModel", {**STEERED, "control_in_dim": channels})
    return Recipe("ZImagePipeline", models={"controlnet": control}, media=LISTED)


def union(*images: str) -> Recipe:
    """A ControlNet for many kinds of control, with the first."""
    media = {name: lambda: [picture()] for name in images}
    return Recipe(models={"controlnet": ("ControlNetUnionModel", UNION)}, call={"control_mode": [0]}, media=media)


DIT = {key: value for key, value in known("HunyuanDiT").items() if key != "num_layers"}
SD3_INPAINTING = known("StableDiffusion3", num_layers=1, extra_conditioning_channels=1)

CONTROL: dict[str, Recipe] = {
    "AnimateDiffControlNetPipeline": Recipe(call=FRAMES),
    "AnimateDiffSparseControlNetPipeline": Recipe(
        models={"controlnet": ("SparseControlNetModel", SPARSE)}, call=FRAMES
    ),
    "HunyuanDiTControlNetPipeline": Recipe(
        models={"controlnet": ("HunyuanDiT2DControlNetModel", {**DIT, "transformer_num_layers": 4})}
    ),
    "QwenImageControlNetInpaintPipeline": Recipe(
        models={
            "controlnet": ("QwenImageControlNetModel", known("QwenImage", num_layers=1, extra_condition_channels=4))
        },
        media={"control_mask": mask},
    ),
    "SanaControlNetPipeline": Recipe(
        models={"controlnet": ("SanaControlNetModel", known("Sana", num_layers=1)), "vae": DEEP_VAE},
        call={"height": 32, "width": 32},
    ),
    "StableDiffusion3ControlNetInpaintingPipeline": Recipe(
        models={"controlnet": ("SD3ControlNetModel", SD3_INPAINTING)}, media={"control_mask": mask}
    ),
    "StableDiffusionAdapterPipeline": adapted(UNET, ATTENTION_FIRST, 8, "full_adapter", 8, 16),
    "StableDiffusionXLAdapterPipeline": adapted(XL, THREE_LAYERS, 16, "full_adapter_xl", 8, 16, 16, 16),
    "StableDiffusionControlNetXSPipeline": Recipe(models=unet(layers_per_block=2)),
    "StableDiffusionXLControlNetXSPipeline": Recipe(models=unet(XL, layers_per_block=2)),
    "StableDiffusionXLControlNetUnionPipeline": union("control_image"),
    "StableDiffusionXLControlNetUnionImg2ImgPipeline": union("control_image"),
    "StableDiffusionXLControlNetUnionInpaintPipeline": union("control_image"),
    "ZImageControlNetPipeline": steered(4),
    "ZImageControlNetInpaintPipeline": steered(9),
}
