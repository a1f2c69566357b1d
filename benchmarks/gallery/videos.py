"""Videos of one model: the run of every step, and the same prompt and noise at each speed-up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

import navicache
from navicache.evaluation import compare
from navicache.evaluation.sound import Sound
from navicache.generation.sound import pair_sounds, split_sounds

SEED = 0


class Output(NamedTuple):
    """Frames (frames, height, width, 3) in [0, 1] of a video, or the images of all prompts; and the video's sound."""

    frames: np.ndarray
    sound: Sound | None


@dataclass(frozen=True)
class Example:
    """What a model made of its prompts; images of several prompts count as the frames of one video."""

    prompts: Sequence[str]
    steps: int
    reference: np.ndarray  # (frames, height, width, 3) in [0, 1], every step computed
    cached: dict[float, np.ndarray]  # by speed-up
    figures: dict[float, dict[str, Any]]  # by speed-up: computed steps, and measures against the reference


def make_example(pipe: Any, call: dict[str, Any], prompts: Sequence[str], speedups: Sequence[float]) -> Example:
    """Run the pipeline once without the cache and once for each speed-up."""
    reference = generate(pipe, call, prompts)
    cached, figures = {}, {}
    for speedup in speedups:
        with navicache.enable(pipe, speedup=speedup) as cache:
            output = generate(pipe, call, prompts)
            computed = len(cache.trace.runs[-1].computed_steps())
        cached[speedup] = output.frames
        figures[speedup] = {"computed": computed, **measure_quality(reference, output)}
    return Example(prompts, call["num_inference_steps"], reference.frames, cached, figures)


def generate(pipe: Any, call: dict[str, Any], prompts: Sequence[str]) -> Output:
    """What one call per prompt makes, always from the same noise."""
    made, sounds = [], None
    for prompt in prompts:
        noise = torch.Generator().manual_seed(SEED)
        output = pipe(prompt=prompt, generator=noise, output_type="np", return_dict=False, **call)
        made.append(np.asarray(output[0][0], dtype=np.float32))
        sounds = split_sounds(pipe, output)
    return Output(made[0] if made[0].ndim == 4 else np.stack(made), sounds[0] if sounds else None)


def measure_quality(reference: Output, output: Output) -> dict[str, float | None]:
    """PSNR in dB, LPIPS and, with sound, its signal-to-noise ratio in dB, as the page shows them."""
    scores = compare(reference.frames, output.frames, sounds=pair_sounds(reference.sound, output.sound))
    lpips = None if scores.lpips is None else round(scores.lpips, 5)
    sound = {} if scores.audio_snr is None else {"audio_snr": round(scores.audio_snr, 1)}
    return {"psnr": round(scores.psnr, 1), "lpips": lpips, **sound}
