"""The reference files, and tiny models made of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast, T5Config, T5EncoderModel

from navicache_opensora import AutoencoderOpenSora, OpenSoraPipeline, RectifiedFlowScheduler, STDiT3Transformer
from navicache_opensora.temporal_vae import TemporalVAE

REFERENCE = Path(__file__).parent / "reference"
SPECIAL = ("<pad>", "</s>", "<unk>")
WORDS = ("a", "red", "cat", "boat", "aesthetic", "score:", "6.5.")
# A size at which the first timestep is 1000 to the last bit: above it, frames made from noise would miss a step.
SMALL = {"height": 40, "width": 64, "num_frames": 17, "num_inference_steps": 3}


def table(name: str) -> Any:
    return json.loads((REFERENCE / f"{name}.json").read_text())


@cache
def tensors(name: str) -> dict[str, torch.Tensor]:
    return load_file(REFERENCE / f"{name}.safetensors")


def inputs(case: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {key.removeprefix("in."): value for key, value in case.items() if key.startswith("in.")}


def worst(left: torch.Tensor, right: torch.Tensor) -> float:
    assert left.shape == right.shape
    return (left - right).abs().max().item()


def tiny_transformer() -> STDiT3Transformer:
    model = STDiT3Transformer(**table("stdit3_tiny_config"))
    model.load_state_dict(tensors("stdit3_tiny"))
    return model.eval()


def tiny_vae() -> AutoencoderOpenSora:
    model = AutoencoderOpenSora(**table("vae_full_tiny_config"))
    model.load_state_dict(tensors("vae_full_tiny"))
    return model.eval()


def tiny_temporal_vae() -> TemporalVAE:
    model = TemporalVAE(**table("vae_temporal_tiny_config")).requires_grad_(False)
    prefix = "temporal_vae."
    weights = {key.removeprefix(prefix): value for key, value in tensors("vae_full_tiny").items() if prefix in key}
    model.load_state_dict(weights)
    return model.eval()


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    vocabulary = {word: number for number, word in enumerate((*SPECIAL, *WORDS))}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


def tiny_text_encoder() -> T5EncoderModel:
    config = T5Config(vocab_size=len(SPECIAL) + len(WORDS), d_model=32, d_kv=8, d_ff=16, num_layers=1, num_heads=2)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return T5EncoderModel(config).eval()


def tiny_pipe(text: bool = True) -> OpenSoraPipeline:
    pipe = OpenSoraPipeline(
        tokenizer=tiny_tokenizer() if text else None,
        text_encoder=tiny_text_encoder() if text else None,
        transformer=tiny_transformer(),
        vae=tiny_vae(),
        scheduler=RectifiedFlowScheduler(),
    )
    pipe.set_progress_bar_config(disable=True)
    return pipe


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def run(pipe: OpenSoraPipeline, prompt: Any = "a red cat", **options: Any) -> Any:
    arguments = {**SMALL, "generator": seeded(), "output_type": "pt", **options}
    return pipe(prompt, **arguments, return_dict=False)[0]
