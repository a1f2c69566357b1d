"""Classes that no tiny build can run here, and why."""

from __future__ import annotations

ONE_PASS = "one pass of a model, no denoising loop"
TEXT = "writes text: a language model over tokens, there are no latents"

UNREACHED: dict[str, str] = {
    "ChromaInpaintPipeline": "diffusers' own call reads `guidance_embeds`, which Chroma's transformer does not have",
    "DiffusionGemmaPipeline": TEXT,
    "EasyAnimateControlPipeline": "diffusers' own call gives `text_encoder_index` to a function that does not take it",
    "EasyAnimateInpaintPipeline": "diffusers' own call reads `cache_mag_vae`, which no autoencoder of diffusers has",
    "FluxPriorReduxPipeline": ONE_PASS,
    "LLaDA2Pipeline": TEXT,
    "LTX2LatentUpsamplePipeline": ONE_PASS,
    "LTXLatentUpsamplePipeline": ONE_PASS,
    "OmniGenPipeline": "needs torchvision, which is not installed",
}
