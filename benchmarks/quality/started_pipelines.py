"""Pipelines that start in the middle: each caption has an input of its own, made from another caption."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from diffusers import StableDiffusionImg2ImgPipeline, WanVideoToVideoPipeline

INPUT_SEED = 1000  # the noise that an input is made from is not the noise that is added to it
FEWEST_STEPS = 2  # of a started run: warming up asks for few steps, and a small part of these is none

Inputs = Mapping[str, np.ndarray]  # by caption: (height, width, 3) or (frames, height, width, 3) in [0, 1]


class StartedImages(StableDiffusionImg2ImgPipeline):
    """Image to image."""

    inputs: Inputs

    def __call__(
        self,
        prompt: str | Sequence[str],
        strength: float = 0.8,
        num_inference_steps: int = 50,
        height: int | None = None,
        width: int | None = None,
        guidance_scale: float = 7.5,
        **others: Any,
    ) -> Any:
        """Start from the captions' inputs, which have the size."""
        del height, width
        image = torch.from_numpy(stack_inputs(self.inputs, prompt)).movedim(-1, 1)
        steps = lengthen_run(num_inference_steps, strength)
        call = {"strength": strength, "num_inference_steps": steps, "guidance_scale": guidance_scale, **others}
        return super().__call__(prompt=prompt, image=image, **call)


class StartedVideos(WanVideoToVideoPipeline):
    """Video to video."""

    inputs: Inputs

    @classmethod
    def from_pipe(cls, pipeline: Any, **others: Any) -> Any:
        """From the same parts; diffusers counts no patches of the VAE, as Wan 2.2 and the embedded model have them."""
        started = super().from_pipe(pipeline, **others)
        started.vae_scale_factor_spatial = pipeline.vae_scale_factor_spatial
        return started

    def __call__(
        self,
        prompt: str | Sequence[str],
        strength: float = 0.8,
        num_inference_steps: int = 50,
        num_frames: int | None = None,
        height: int = 480,
        width: int = 832,
        guidance_scale: float = 5.0,
        **others: Any,
    ) -> Any:
        """Start from the captions' inputs, which have the frames."""
        del num_frames
        call = {"height": height, "width": width, "guidance_scale": guidance_scale, "strength": strength, **others}
        steps = lengthen_run(num_inference_steps, strength)
        video = stack_inputs(self.inputs, prompt)
        return super().__call__(video=video, prompt=prompt, num_inference_steps=steps, **call)


STARTED: dict[str, Any] = {"StableDiffusionPipeline": StartedImages, "WanPipeline": StartedVideos}


def stack_inputs(inputs: Inputs, prompt: str | Sequence[str]) -> np.ndarray:
    """The inputs of a call's captions."""
    prompts = [prompt] if isinstance(prompt, str) else prompt
    return np.stack([inputs[each] for each in prompts])


def lengthen_run(steps: int, strength: float) -> int:
    """At least so many steps that two of them are run.

    Example:
        >>> lengthen_run(50, 0.4), lengthen_run(2, 0.4)
        (50, 5)
    """
    return max(steps, math.ceil(FEWEST_STEPS / strength))


def start_pipeline(pipe: Any, others: Mapping[str, str], call: Mapping[str, Any]) -> Any:
    """The pipeline from the same parts that starts in the middle; `others` has another caption for each."""
    kind = STARTED.get(type(pipe).__name__)
    if kind is None:
        raise ValueError(f"no {type(pipe).__name__} starts in the middle here: choose {', '.join(STARTED)}")
    pipe.set_progress_bar_config(disable=True)
    generators = [torch.Generator().manual_seed(INPUT_SEED + number) for number in range(len(others))]
    made = pipe(prompt=list(others.values()), generator=generators, output_type="np", return_dict=False, **call)[0]
    started = kind.from_pipe(pipe)
    started.inputs = dict(zip(others, made, strict=True))
    return started


def pair_prompts(prompts: Sequence[str]) -> dict[str, str]:
    """Another caption for each: the next one, and the first for the last.

    Example:
        >>> pair_prompts(["a ball", "a ring", "a star"])
        {'a ball': 'a ring', 'a ring': 'a star', 'a star': 'a ball'}
    """
    if len(set(prompts)) < 2:
        raise ValueError("a run starts from another caption's output: give two captions or more")
    return dict(zip(prompts, [*prompts[1:], prompts[0]], strict=True))
