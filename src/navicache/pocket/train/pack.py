"""The trained parts as one plain diffusers folder, which WanPipeline opens by itself."""

import json
from pathlib import Path
from typing import Any

from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanPipeline

from navicache.pocket.train import configs
from navicache.pocket.train import tokenizer as tokens
from navicache.pocket.train.denoiser import Denoiser
from navicache.pocket.world import vocabulary


def pack(autoencoder: AutoencoderKLWan, denoiser: Denoiser, folder: Path) -> None:
    """Write the checkpoint: half precision, but for the text encoder.

    transformers loads weights in the type they are stored in and diffusers in float32, so that a text encoder in half
    precision would not fit the rest of a pipeline opened without a dtype.
    """
    parts: dict[str, Any] = {
        "tokenizer": tokens.build(vocabulary()),
        "text_encoder": denoiser.text_encoder.float(),
        "vae": autoencoder.half(),
        "transformer": denoiser.transformer.half(),
        "scheduler": UniPCMultistepScheduler(**configs.SCHEDULER),
    }
    WanPipeline(**parts).save_pretrained(folder)
    for file in (folder / "model_index.json", folder / "tokenizer" / "tokenizer_config.json"):
        # the name that both transformers 4 and 5 know
        file.write_text(file.read_text().replace("TokenizersBackend", "PreTrainedTokenizerFast"))
    for file in folder.glob("*/config.json"):
        config = json.loads(file.read_text())
        config.pop("_name_or_path", None)  # where a part was opened from to be trained further: nobody else's concern
        file.write_text(json.dumps(config, indent=2) + "\n")
