"""Tiny joint models of diffusers, whose sound is predicted or held: `python -m tests.integrations.joint_models`.

Prints how far the final latents of cached runs are from those of the run that computes every step, in percent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from diffusers import MiniMaxH3Scheduler, MiniMaxH3Transformer3DModel
from tests.tiny.common import component
from tests.tiny.zoo import ZOO
from torch import Tensor, nn

import navicache

STEPS = 20
VIDEO, SOUND, TEXT = 8, 6, 3  # rows of the packed sequence
H3_SIZES = {
    "num_attention_heads": 2,
    "attention_head_dim": 8,
    "hidden_size": 16,
    "num_layers": 2,
    "num_refiner_layers": 1,
    "ffn_dim": 16,
    "in_channels": 2,
    "audio_in_channels": 4,
    "text_dim": 8,
    "freq_dim": 8,
    "time_embed_hidden_dim": 16,
    "time_embed_dim": 8,
    "rope_freq_dim": 1,
}
SETTINGS: dict[str, dict[str, Any]] = {f"inertial {speedup}x": {"speedup": speedup} for speedup in (1.5, 2.0, 3.0)}
# What adds a residual: to the whole model's outputs, and to the tokens of its blocks.
SETTINGS |= {f"static {interval}x": {"policy": "static", "interval": interval} for interval in (1.5, 2.0, 3.0)}
SETTINGS |= {name: {"policy": name, "threshold": 0.1, "align_steps": 3} for name in ("navicache", "easycache")}
SETTINGS |= {name: {"policy": name, "threshold": 0.1} for name in ("teacache", "firstblockcache")}
SETTINGS["dbcache"] = {"policy": "dbcache", "first": 1, "last": 0}
Joint = Callable[[], tuple[Tensor, Tensor]]


def ltx2() -> tuple[nn.Module, Any, Joint]:
    """LTX-2: its model, what is to be cached, and a run of its pipeline."""
    case = ZOO["LTX2"]
    pipe = case.build()
    return pipe.transformer, pipe, lambda: case.run_all(pipe, num_inference_steps=STEPS)


def minimax_h3(frozen_sound: bool = False) -> tuple[nn.Module, Any, Joint]:
    """MiniMax H3: the same, with the loop of its pipeline; frozen sound is clean and stays at time 1."""
    model = component(lambda: MiniMaxH3Transformer3DModel(**H3_SIZES), seed=3)
    rows, generator = torch.arange(TEXT + SOUND + VIDEO), torch.Generator().manual_seed(0)
    text_rows, sound_rows, video_rows = rows.split([TEXT, SOUND, VIDEO])
    first = [torch.randn(1, *shape, generator=generator) for shape in ((VIDEO, 8), (SOUND, 4), (TEXT, 8))]
    layout = {
        "token_tags": torch.tensor([1] * TEXT + [2] * SOUND + [0] * VIDEO),
        "position_ids": rows[:, None].repeat(1, 3).double(),
        **{"text_indices": text_rows, "audio_indices": sound_rows, "video_indices": video_rows},
    }

    def generate() -> tuple[Tensor, Tensor]:
        schedulers = MiniMaxH3Scheduler(shift=12.0), MiniMaxH3Scheduler(shift=3.0)
        for scheduler in schedulers:
            scheduler.set_timesteps(STEPS + 1)
        video, sound, text = (tensor.clone() for tensor in first)
        for now, heard in zip(*(scheduler.timesteps for scheduler in schedulers), strict=True):
            times = torch.stack([torch.ones(()) if frozen_sound else heard, now])
            kinds = torch.tensor([1] * TEXT + [0] * SOUND + [1] * VIDEO)
            given = {"timestep": times, "timestep_indices": kinds, "return_dict": False, **layout}
            of_video, of_sound = model(
                hidden_states=video, audio_hidden_states=sound, encoder_hidden_states=text, **given
            )
            video = schedulers[0].step(of_video, now, video, return_dict=False)[0]
            if not frozen_sound:
                sound = schedulers[1].step(of_sound, heard, sound, return_dict=False)[0]
        return video, sound

    return model, model, torch.no_grad()(generate)


@contextmanager
def held_sound(model: nn.Module, cache: navicache.Cache) -> Iterator[None]:
    """Every reused step returns the sound of the last compute, whatever was predicted."""
    forward, kept = model.forward, []

    def call(*args: Any, **kwargs: Any) -> Any:
        computed = cache.progress[0]
        video, sound = forward(*args, **kwargs)
        if cache.progress[0] > computed or not kept:
            kept[:] = [sound]
        return video, kept[0].clone()

    model.forward = call
    yield
    model.forward = forward


def measure_errors(joint: tuple[nn.Module, Any, Joint], held: bool, **knobs: Any) -> tuple[float, float]:
    """How far the video and the sound of a cached run are from those of a plain one, |a - b| / |b|."""
    model, target, generate = joint
    plain = generate()
    with navicache.enable(target, steps=STEPS, **knobs) as cache:
        if held:
            with held_sound(model, cache):
                made = generate()
        else:
            made = generate()
    video, sound = (((a - b).norm() / b.norm()).item() for a, b in zip(made, plain, strict=True))
    return video, sound


if __name__ == "__main__":
    for name, joint in {"LTX-2": ltx2(), "MiniMax H3": minimax_h3()}.items():
        for policy, knobs in SETTINGS.items():
            for way in ("held", "predicted"):
                video, sound = measure_errors(joint, way == "held", **knobs)
                print(f"{name:10}  {policy:16}  sound {way:9}  video {video:.2%}  sound {sound:.2%}")
