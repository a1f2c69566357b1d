"""What single classes with a U-Net of Stable Diffusion need beyond their templates."""

from __future__ import annotations

from typing import Any

import torch
from diffusers.pipelines.deprecated.paint_by_example.image_encoder import PaintByExampleImageEncoder
from diffusers.pipelines.stable_diffusion import CLIPImageProjection
from tests.tiny.common import component
from tests.tiny.zoo.case import DDIM, drawn
from tests.tiny.zoo.configs import UNET, XL
from tests.tiny.zoo.parts import KL, VISION, image_processor, picture

from benchmarks.survey.generic import Recipe

from .common import ARRAY, unet

LCM = ("LCMScheduler", {"clip_sample": False, "beta_schedule": "scaled_linear"})
SDE = ("DPMSolverMultistepScheduler", {"algorithm_type": "sde-dpmsolver++", "solver_order": 2})
DEEPER = {
    **UNET,
    "block_out_channels": (8, 16, 16),
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
}
XL_TEXT = "StableDiffusionXLPipeline"


def embedding(name: str, *shape: int) -> Any:
    """A function that draws an embedding."""
    return lambda: drawn(name, shape)


def invert(pipe: Any, steps: int) -> dict[str, Any]:
    """What an editing pipeline has to know of the image first."""
    pipe.invert(image=picture(), num_inversion_steps=steps, skip=0.1, generator=torch.Generator().manual_seed(0))
    return {}


def invert_for_edit(pipe: Any, steps: int) -> dict[str, Any]:
    """The mask and the latents that an edit starts from."""
    generator = torch.Generator().manual_seed(0)
    known: dict[str, Any] = {"image": picture(), "num_inference_steps": steps, "generator": generator}
    found = pipe.generate_mask(source_prompt="a cat", target_prompt="a blurry cat", num_maps_per_mask=1, **known)
    return {"mask_image": found, "image_latents": pipe.invert(prompt="a cat", **known).latents}


def move(pipe: Any, steps: int) -> dict[str, Any]:
    """From which step to which the frames move: counted from the end."""
    return {"t0": steps // 2, "t1": steps // 2 + 1}


def example_encoder() -> Any:
    """The image encoder of Paint by Example."""
    return component(lambda: PaintByExampleImageEncoder(VISION, proj_size=16), seed=8)


def project_image() -> Any:
    """From the image encoder's space to that of phrases."""
    return component(lambda: CLIPImageProjection(hidden_size=16), seed=9)


TWO_SIZES = "a step has calls of two batch sizes, and each begins a run"
READS_ATTENTION = "the pipeline reads the attention maps of every step, and a reused step has none"

UNETS: dict[str, Recipe] = {
    "AnimateDiffSDXLPipeline": Recipe(XL_TEXT, call={"num_frames": 2}),
    "CycleDiffusionPipeline": Recipe(
        text=True,
        scheduler=("DDIMScheduler", {**DDIM[1], "set_alpha_to_one": False}),
        call={"source_prompt": "a blurry cat"},
    ),
    "LEditsPPPipelineStableDiffusion": Recipe(
        models=unet(DEEPER),
        text=True,
        scheduler=SDE,
        note=READS_ATTENTION,
        call={"editing_prompt": ["a cat"]},
        prepare=invert,
    ),
    "LEditsPPPipelineStableDiffusionXL": Recipe(
        XL_TEXT,
        models=unet(XL, cross_attention_dim=32),
        text=True,
        scheduler=SDE,
        call={"editing_prompt": ["a cat"]},
        prepare=invert,
    ),
    "LatentConsistencyModelPipeline": Recipe(
        models=unet(time_cond_proj_dim=8), scheduler=LCM, call={"original_inference_steps": 50}
    ),
    "LatentConsistencyModelImg2ImgPipeline": Recipe(
        models=unet(time_cond_proj_dim=8), scheduler=LCM, call={"original_inference_steps": 50}
    ),
    **{
        f"Marigold{what}Pipeline": Recipe(
            models=unet(in_channels=4 + out, out_channels=out),
            text=True,
            call={"processing_resolution": 0, "match_input_resolution": False, **ARRAY},
            parts=parts,
        )
        for what, out, parts in (
            ("Depth", 4, {"prediction_type": lambda: "depth"}),
            ("Normals", 4, {"prediction_type": lambda: "normals"}),
            (
                "Intrinsics",
                8,
                {
                    "prediction_type": lambda: "intrinsics",
                    "target_properties": lambda: {"target_names": ["albedo", "roughness"]},
                },
            ),
        )
    },
    "PIAPipeline": Recipe(models=unet(in_channels=9), call={"num_frames": 2}),
    "PaintByExamplePipeline": Recipe(
        models=unet(in_channels=9), parts={"image_encoder": example_encoder, "feature_extractor": image_processor}
    ),
    "StableDiffusionAttendAndExcitePipeline": Recipe(
        text=True, call={"token_indices": [1], "attn_res": (4, 4)}, note=TWO_SIZES
    ),
    "StableDiffusionDepth2ImgPipeline": Recipe(
        models=unet(in_channels=5), media={"depth_map": lambda: torch.rand(1, 64, 64)}
    ),
    "StableDiffusionDiffEditPipeline": Recipe(text=True, prepare=invert_for_edit),
    "StableDiffusionGLIGENPipeline": Recipe(
        models=unet(attention_type="gated"),
        text=True,
        call={"gligen_phrases": ["a cat"], "gligen_boxes": [[0.1, 0.1, 0.5, 0.5]]},
    ),
    "StableDiffusionGLIGENTextImagePipeline": Recipe(
        models=unet(attention_type="gated-text-image"),
        text=True,
        call={"gligen_phrases": ["a cat"], "gligen_boxes": [[0.1, 0.1, 0.5, 0.5]]},
        media={"gligen_images": lambda: [picture()]},
        parts={"processor": image_processor, "image_project": project_image},
    ),
    "StableDiffusionInstructPix2PixPipeline": Recipe(models=unet(in_channels=8)),
    "StableDiffusionLDM3DPipeline": Recipe(
        models={"vae": (KL[0], {**KL[1], "in_channels": 6, "out_channels": 6})}, call=ARRAY
    ),
    "StableDiffusionLatentUpscalePipeline": Recipe(
        XL_TEXT,
        models=unet(in_channels=8, out_channels=5, time_cond_proj_dim=136),
    ),
    "StableDiffusionParadigmsPipeline": Recipe(scheduler=("DDIMParallelScheduler", DDIM[1])),
    "StableDiffusionPix2PixZeroPipeline": Recipe(
        media={"source_embeds": embedding("source", 12, 16), "target_embeds": embedding("target", 12, 16)},
        note=READS_ATTENTION,
    ),
    "StableDiffusionUpscalePipeline": Recipe(models=unet(in_channels=7, num_class_embeds=1000)),
    "StableDiffusionXLInstructPix2PixPipeline": Recipe(models=unet(XL, in_channels=8)),
    "TextToVideoZeroPipeline": Recipe(text=True, call={"video_length": 2}, prepare=move),
    "TextToVideoZeroSDXLPipeline": Recipe(
        XL_TEXT, models=unet(XL, cross_attention_dim=32), text=True, call={"video_length": 2}, prepare=move
    ),
    "StableDiffusionPanoramaPipeline": Recipe(note="the scheduler is copied at every step, which begins a run"),
    "StableDiffusionSAGPipeline": Recipe(note=TWO_SIZES),
    "StableDiffusionXLPAGImg2ImgPipeline": Recipe(call={"strength": 0.9}),
}
