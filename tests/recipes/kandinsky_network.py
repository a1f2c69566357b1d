"""Kandinsky 6's own network with tiny random weights, and a generation of its own loop around it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from tests.recipes.hosts import load
from tests.recipes.stand_ins import noise
from torch import Tensor, nn

BARE = ("kandinsky", "kandinsky.pipeline")  # theirs import the pipeline, and with it decoders and text encoders
FRAMES, HEIGHT, WIDTH, CHANNELS = 3, 6, 8, 4
HEARD, SOUND = 7, 6  # steps of the sound, and its channels
WORDS, NULL_WORDS = 3, 4
TEXT, POOLED = 6, 5
SIZES: dict[str, Any] = {
    "in_visual_dim": CHANNELS,
    "out_visual_dim": CHANNELS,
    "in_audio_dim": SOUND,
    "in_text_dim": TEXT,
    "in_text_dim2": POOLED,
    "time_dim": 16,
    "model_dim": 24,
    "ff_dim": 48,
    "axes_dims": (4, 4, 4),
    "num_text_blocks": 1,
    "num_visual_blocks": 2,
    "visual_token_type_num_embeddings": 2,
}


def network(sound: bool = True, silent: bool = False) -> Any:
    """Their class; a silent one predicts no change of the sound, which still reaches the video."""
    torch.manual_seed(0)
    made = load("kandinsky.core.components.dit").DiffusionTransformer3D(is_multimodal=sound, **SIZES).eval()
    for weight in made.parameters():
        if not weight.any():  # their gates begin at zero, and let nothing through
            nn.init.normal_(weight, std=0.1)
    for weight in made.audio_out_layer.out_layer.parameters() if silent else ():
        nn.init.zeros_(weight)
    return made


def embeds(seed: int, words: int) -> dict[str, Tensor]:
    return {"text_embeds": noise(seed, 1, words, TEXT), "pooled_embed": noise(seed + 1, 1, POOLED)}


def ropes(dit: Any, words: int) -> Any:
    """Of a text, as their pipeline makes them: one for each of video and sound."""
    code = load("kandinsky.core.algo.prepare_ropes")
    names = ("video_text_rope", "audio_text_rope") if dit.is_multimodal else ("text_rope",)
    made = [code.compute_rope1d(getattr(dit, name), words) for name in names]
    return made if dit.is_multimodal else made[0]


def generation(
    dit: Any, steps: int, sound: bool = True, nulls: bool = False, image: str | None = None, **call: Any
) -> Callable[[int, Any], Tensor]:
    """Their `denoise_loop`, from a seed and whatever is called as the network.

    Args:
        dit: the network.
        steps: of a generation.
        sound: generate sound too.
        nulls: the empty text is one for the video and one for the sound.
        image: their scheme to begin from an image; one of them puts it behind the last frame.
        **call: what else the loop is told.
    """
    code = load("kandinsky.core.algo.denoise_loop")
    behind = image == "tail_cond_first_frame"
    frames = FRAMES + behind
    null: Any = [embeds(40, NULL_WORDS), embeds(50, NULL_WORDS)] if nulls else embeds(40, NULL_WORDS)
    visual = code.compute_visual_rope(dit.visual_rope, (frames, HEIGHT // 2, WIDTH // 2), (1.0, 2.0, 2.0))
    audio = code.compute_rope1d(dit.audio_rope, HEARD) if sound else None
    about = (embeds(30, WORDS), null, visual, audio, ropes(dit, WORDS), ropes(dit, NULL_WORDS), steps)
    first = noise(9, 1, HEIGHT, WIDTH, CHANNELS) if image else None
    kinds = torch.tensor([[0] * FRAMES + [1]]) if behind else None
    call = {"first_frames": first, "visual_token_type_ids": kinds, "visual_cond_scheme": image or "pretrain"} | call
    call = {"guidance_weight": 5.0, "scheduler_scale": 10.0} | call

    def generate(seed: int, called: Any = dit) -> Tensor:
        dit.clear_text_proj_cache()  # as their pipeline does before each
        heard = (noise(seed + 5, 1, HEARD, SOUND), torch.tensor([0, HEARD])) if sound else (None, None)
        latent = noise(seed, 1, frames, HEIGHT, WIDTH, CHANNELS)
        bundle = code.LatentBundle(latent, heard[0], torch.tensor([0, frames]), heard[1])
        return code.denoise_loop(bundle, called, *about, **call).video

    return generate
