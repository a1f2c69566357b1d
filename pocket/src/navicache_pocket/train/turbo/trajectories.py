"""What the teacher makes: the states of its guided course at the student's few noise levels."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, WanTransformer3DModel
from tqdm import tqdm

from navicache_pocket.train.denoiser import make_empty_prompts
from navicache_pocket.train.tokenizer import build_tokenizer, encode_captions
from navicache_pocket.world import draw_scenes, list_vocabulary, write_captions
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS

TIME_SCALE = 1000


@dataclass(frozen=True)
class TeacherSettings:
    """How the teacher is followed; the defaults fit one large GPU."""

    steps: int = 8  # of the student
    substeps: int = 4  # of the teacher within each, of two calls
    shift: float = 3.0
    last_level: float = 0.3  # from which the last step goes to zero; without it that step would be hardly any
    guidance: float = 5.0
    videos: int = 8192
    batch: int = 256
    seed: int = 4  # of the scenes whose captions are taken, and of the noise
    max_seconds: float = 120.0  # fewer videos on a slow machine


@dataclass(frozen=True)
class Trajectories:
    """States (videos, steps + 1, channels, frames, rows, columns) from noise to video, and the text of each."""

    states: torch.Tensor
    text: torch.Tensor  # (videos, tokens, channels), zero after the end
    levels: torch.Tensor  # (steps + 1,)


def build_scheduler(settings: TeacherSettings) -> FlowMatchEulerDiscreteScheduler:
    """The student's sampler."""
    return FlowMatchEulerDiscreteScheduler(shift=settings.shift, shift_terminal=settings.last_level)


def list_levels(settings: TeacherSettings) -> torch.Tensor:
    """The noise levels before each of the student's steps, and after the last."""
    scheduler: Any = build_scheduler(settings)
    scheduler.set_timesteps(settings.steps)
    return scheduler.sigmas.float()


@torch.no_grad()
def embed_text(base: Path, captions: Sequence[str] | None, device: str) -> torch.Tensor:
    """Captions as wan's pipeline embeds them, or (None) the empty one."""
    from transformers import UMT5EncoderModel

    encoder: Any = UMT5EncoderModel.from_pretrained(base / "text_encoder")
    encoder.float().eval().to(device)
    ids = encode_captions(build_tokenizer(list_vocabulary()), captions or [""], MAX_CAPTION_TOKENS).to(device)
    ids = make_empty_prompts(ids) if captions is None else ids
    is_token = ids != 0
    return encoder(input_ids=ids, attention_mask=is_token.long()).last_hidden_state * is_token.unsqueeze(-1)


def follow_teacher(
    model: Any, state: torch.Tensor, text: torch.Tensor, empty: torch.Tensor, levels: torch.Tensor, settings: Any
) -> torch.Tensor:
    """All states of one batch: the midpoint rule along the guided velocity."""

    def velocity(at: torch.Tensor, level: torch.Tensor) -> torch.Tensor:
        time = (TIME_SCALE * level).expand(2 * len(at))
        both = model(torch.cat([at, at]), time, torch.cat([text, empty]), return_dict=False)[0].float()
        guided, free = both.chunk(2)
        return free + settings.guidance * (guided - free)

    states = [state]
    for step in range(settings.steps):
        fine = torch.linspace(0, 1, settings.substeps + 1, device=levels.device)
        fine = torch.lerp(levels[step], levels[step + 1], fine)
        for here, there in itertools.pairwise(fine):
            middle = (here + there) / 2
            state = state + (there - here) * velocity(state + (middle - here) * velocity(state, here), middle)
        states.append(state)
    return torch.stack(states, 1)


@torch.no_grad()
def build_trajectories(base: Path, shape: Sequence[int], device: str, settings: TeacherSettings) -> Trajectories:
    """Follow the teacher from fresh noise, for captions of scenes that no benchmark has."""
    model: Any = WanTransformer3DModel.from_pretrained(base, subfolder="transformer", torch_dtype=torch.float32)
    model.to(device).eval()
    if device.startswith("cuda"):
        model.compile_repeated_blocks()
    captions = write_captions(draw_scenes(settings.videos, settings.seed))
    text, levels = embed_text(base, captions, device), list_levels(settings).to(device)
    empty = embed_text(base, None, device)
    generator = torch.Generator(device).manual_seed(settings.seed)
    parts: list[torch.Tensor] = []
    with tqdm(range(0, settings.videos, settings.batch), desc="teacher", unit="batch", mininterval=10) as bar:
        for start in bar:
            words = text[start : start + settings.batch]
            noise = torch.randn(len(words), *shape, device=device, generator=generator)
            with torch.autocast(torch.device(device).type, dtype=torch.bfloat16, enabled=device.startswith("cuda")):
                states = follow_teacher(model, noise, words, empty.expand_as(words), levels, settings)
            parts.append(states)
            if bar.format_dict["elapsed"] > settings.max_seconds:
                break
    states = torch.cat(parts)
    return Trajectories(states, text[: len(states)], levels)
