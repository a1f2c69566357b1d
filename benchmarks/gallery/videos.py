"""Videos of one model: the run of every step, and the same prompt and noise at each speed-up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

import navicache
from navicache.evaluation import compare

SEED = 0


@dataclass(frozen=True)
class Example:
    """What a model made of its prompts; images of several prompts count as the frames of one video."""

    prompts: Sequence[str]
    steps: int
    reference: np.ndarray  # (frames, height, width, 3) in [0, 1], every step computed
    cached: dict[float, np.ndarray]  # by speed-up
    figures: dict[float, dict[str, Any]]  # by speed-up: computed steps, PSNR and LPIPS against the reference


def make_example(pipe: Any, call: dict[str, Any], prompts: Sequence[str], speedups: Sequence[float]) -> Example:
    """Run the pipeline once without the cache and once for each speed-up."""
    reference = generate(pipe, call, prompts)
    cached, figures = {}, {}
    for speedup in speedups:
        with navicache.enable(pipe, speedup=speedup) as cache:
            cached[speedup] = generate(pipe, call, prompts)
            computed = len(cache.trace.runs[-1].computed_steps())
        figures[speedup] = {"computed": computed, **measure_quality(reference, cached[speedup])}
    return Example(prompts, call["num_inference_steps"], reference, cached, figures)


def generate(pipe: Any, call: dict[str, Any], prompts: Sequence[str]) -> np.ndarray:
    """Frames of one call per prompt, always from the same noise."""
    made = []
    for prompt in prompts:
        noise = torch.Generator().manual_seed(SEED)
        output = pipe(prompt=prompt, generator=noise, output_type="np", return_dict=False, **call)[0]
        made.append(np.asarray(output[0], dtype=np.float32))
    return made[0] if made[0].ndim == 4 else np.stack(made)


def measure_quality(reference: np.ndarray, frames: np.ndarray) -> dict[str, float | None]:
    """PSNR in dB and LPIPS, as the page shows them."""
    scores = compare(reference, frames)
    lpips = None if scores.lpips is None else round(scores.lpips, 5)
    return {"psnr": round(scores.psnr, 1), "lpips": lpips}
