"""A checkpoint folder like the embedded one, small and with random weights."""

from pathlib import Path

import torch
from diffusers import AutoencoderKLWan, UniPCMultistepScheduler, WanPipeline, WanTransformer3DModel
from transformers import UMT5Config, UMT5EncoderModel

from navicache_pocket.train import configs
from navicache_pocket.train import tokenizer as tokens
from navicache_pocket.world import list_vocabulary

TRANSFORMER = {"num_attention_heads": 2, "attention_head_dim": 12, "ffn_dim": 32, "num_layers": 2, "text_dim": 32}
TEXT = {"d_model": 32, "d_ff": 32, "d_kv": 8, "num_layers": 1, "num_heads": 2}


def save(folder: Path) -> Path:
    torch.manual_seed(0)
    text = UMT5Config(vocab_size=3 + len(list_vocabulary()), **{**configs.TEXT_ENCODER, **TEXT})
    pipe = WanPipeline(
        tokenizer=tokens.build_tokenizer(list_vocabulary()),
        text_encoder=UMT5EncoderModel(text),
        vae=AutoencoderKLWan(**{**configs.AUTOENCODER, "base_dim": 8, "decoder_base_dim": 8}),
        transformer=WanTransformer3DModel(**{**configs.TRANSFORMER, **TRANSFORMER}),
        scheduler=UniPCMultistepScheduler(**configs.SCHEDULER),
    )
    pipe.save_pretrained(folder)
    return folder
