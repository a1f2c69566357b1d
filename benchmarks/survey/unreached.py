"""Classes that no tiny build can run here, and why."""

from __future__ import annotations

ONE_PASS = "one pass of a model, no denoising loop"
TEXT = "writes text: a language model over tokens, there are no latents"
NO_VISION = "needs torchvision, which is not installed"
BROKEN = "diffusers' own call is broken"

UNREACHED: dict[str, str] = {
    "ChromaInpaintPipeline": f"{BROKEN}: it reads `guidance_embeds`, which Chroma's transformer does not have",
    "Cosmos2_5_TransferPipeline": f"{NO_VISION}: its ControlNet resizes a mask with it",
    "DiffusionGemmaPipeline": TEXT,
    "EasyAnimateControlPipeline": f"{BROKEN}: it gives `text_encoder_index` to a function that does not take it",
    "EasyAnimateInpaintPipeline": f"{BROKEN}: it reads `cache_mag_vae`, which no autoencoder of diffusers has",
    "FluxPriorReduxPipeline": ONE_PASS,
    "LLaDA2Pipeline": TEXT,
    "LTX2LatentUpsamplePipeline": ONE_PASS,
    "LTXLatentUpsamplePipeline": ONE_PASS,
    "LTX2VideoDiffusionDecodePipeline": "the loop is inside its decoder, which the pipeline calls once",
    "OmniGenPipeline": NO_VISION,
    "RFD4ProteinaPipeline": "no tiny build was made: it designs molecules, and needs their features and two schedulers",
    "SanaWMLTX2Refiner": "no tiny build was made: a few steps for each block of frames, which keep keys and values",
    "VersatileDiffusionDualGuidedPipeline": (
        f"{BROKEN}: its U-Net gives `encoder_attention_mask` to a layer that does not take it"
    ),
    "VersatileDiffusionPipeline": "has no call of its own: its methods build the other Versatile Diffusion pipelines",
}
