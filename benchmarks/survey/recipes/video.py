"""What single classes of video need beyond their templates."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import FLOW, drawn
from tests.tiny.zoo.configs import SAFE
from tests.tiny.zoo.parts import WAN_VAE, image_processor

from benchmarks.survey.generic import Recipe
from benchmarks.survey.text_parts import tokenizer, vision


def siglip() -> Any:
    """An image encoder."""
    return vision("SiglipVisionModel")


COSMOS_VAE = {
    "vae": (
        "AutoencoderKLCosmos",
        {
            "latent_channels": 4,
            "encoder_block_out_channels": (8, 8, 8, 8),
            "decode_block_out_channels": (8, 8, 8, 8),
            "num_layers": 1,
            "latents_mean": None,
            "latents_std": None,
        },
    )
}
LATER = {
    "in_channels": 4,
    "mid_channels": 32,
    "num_blocks_per_stage": 1,
    "spatial_upsample": False,
    "temporal_upsample": True,
}
SHORT = {"height": 64, "width": 64, "num_frames": 9}
SEEING = {"image_encoder": siglip, "feature_extractor": image_processor}

VIDEO: dict[str, Recipe] = {
    "HeliosPipeline": Recipe(without=("image", "video")),
    "HeliosPyramidPipeline": Recipe(without=("image", "video")),
    "AnyFlowFARPipeline": Recipe(without=("video",)),
    "Cosmos2VideoToWorldPipeline": Recipe(changes={"transformer": {"in_channels": 5}}, call=SHORT, without=("video",)),
    "CosmosVideoToWorldPipeline": Recipe(
        "CosmosTextToWorldPipeline", models=COSMOS_VAE, changes={"transformer": {"in_channels": 5}}, without=("image",)
    ),
    "Cosmos3OmniPipeline": Recipe(
        "Cosmos3OmniModularPipeline",
        text=True,
        parts={**SAFE, "text_tokenizer": tokenizer},
        call={"num_frames": 9},
        without=("image", "video"),
    ),
    "Cosmos2_5_PredictBasePipeline": Recipe(
        changes={"transformer": {"in_channels": 5}}, call=SHORT, without=("image", "video")
    ),
    "HunyuanSkyreelsImageToVideoPipeline": Recipe(changes={"transformer": {"in_channels": 8}}),
    "HunyuanVideo15ImageToVideoPipeline": Recipe(changes={"transformer": {"image_embed_dim": 16}}, parts=SEEING),
    "HunyuanVideoFramepackPipeline": Recipe(
        changes={"transformer": {"has_image_proj": True, "image_proj_dim": 16}}, parts=SEEING
    ),
    "HunyuanVideoImageToVideoPipeline": Recipe(changes={"transformer": {"image_condition_type": "token_replace"}}),
    "Kandinsky5I2VPipeline": Recipe(call={"num_frames": 25}),
    "Kandinsky6TI2VAPipeline": Recipe(
        changes={"transformer": {"visual_token_type_num_embeddings": 2}}, scheduler=FLOW, call={"sample_audio": False}
    ),
    "LTX2ImageToVideoPipeline": Recipe(changes={"vae": {"spatial_compression_ratio": 8}}),
    "LucyEditPipeline": Recipe(changes={"transformer": {"in_channels": 8}}),
    "SanaImageToVideoPipeline": Recipe(models={"vae": WAN_VAE}),
    "SkyReelsV2DiffusionForcingVideoToVideoPipeline": Recipe(call={"overlap_history": 1, "base_num_frames": 9}),
    "LTX2DFRPipeline": Recipe(changes={"transformer": {"use_keyframes_abs_pos_embedding": True}}),
    "LTX2DFRTemporalRefinePipeline": Recipe(
        models={"temporal_latent_upsampler": ("LTX2LatentUpsamplerModel", LATER)},
        changes={"transformer": {"use_keyframes_abs_pos_embedding": True}},
        scheduler=("LTXEulerAncestralRFScheduler", {"eta": 0.5}),
        media={
            "latents": lambda: drawn("video", (4, 3, 2, 2)),
            "keyframes_latents": lambda: drawn("keyframes", (4, 2, 2, 2)),
            "audio_latents": lambda: drawn("sound", (2, 8, 2)),
        },
        call={"num_frames": 17, "keyframe_positions": [8, 16]},
        by_steps={"sigmas": lambda steps: [1 - step / steps for step in range(steps)]},
        without=("conditions",),
    ),
}
