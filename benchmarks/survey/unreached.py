"""Classes that no tiny build can run here, and why."""

from __future__ import annotations

ONE_PASS = "one pass of a model, no denoising loop"
TEXT = "writes text: a language model over tokens, there are no latents"

NO_VISION = "needs torchvision, which is not installed"

UNREACHED: dict[str, str] = {
    "ChromaInpaintPipeline": "diffusers' own call is broken: it reads `guidance_embeds`, which Chroma's transformer does not have",
    "Cosmos2_5_TransferPipeline": f"{NO_VISION}: its ControlNet resizes a mask with it",
    "DiffusionGemmaPipeline": TEXT,
    "EasyAnimateControlPipeline": "diffusers' own call is broken: it gives `text_encoder_index` to a function that does not take it",
    "EasyAnimateInpaintPipeline": "diffusers' own call is broken: it reads `cache_mag_vae`, which no autoencoder of diffusers has",
    "FluxPriorReduxPipeline": ONE_PASS,
    "LLaDA2Pipeline": TEXT,
    "LTX2LatentUpsamplePipeline": ONE_PASS,
    "LTXLatentUpsamplePipeline": ONE_PASS,
    "LTX2VideoDiffusionDecodePipeline": "the loop is inside its decoder, which the pipeline calls once",
    "OmniGenPipeline": NO_VISION,
    "VersatileDiffusionDualGuidedPipeline": (
        "diffusers' own call is broken: its U-Net gives `encoder_attention_mask` to a layer that does not take it"
    ),
    "VersatileDiffusionPipeline": "has no call of its own: its methods build the other Versatile Diffusion pipelines",
}
