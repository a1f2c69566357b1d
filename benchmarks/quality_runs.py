"""Runs of the quality benchmark: prompts, noise, latents, decoded videos and their scores."""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, UniPCMultistepScheduler, WanPipeline
from torch import Tensor
from tqdm import tqdm

from navicache import pocket
from navicache.evaluation.frames import per_frame, precision
from navicache.evaluation.lpips_weights import WeightsError, load
from navicache.evaluation.perceptual import SMALLEST, Lpips
from navicache.evaluation.psnr import decibels, frame_errors
from navicache.evaluation.similarity import frame_ssim
from navicache.pocket.held_out import SEEDS, choose_prompts
from navicache.pocket.train import denoiser
from navicache.pocket.train.configs import SCHEDULER
from navicache.records import RunRecord

SCHEDULERS = {
    "UniPC": lambda: UniPCMultistepScheduler(**SCHEDULER),
    "Euler": lambda: FlowMatchEulerDiscreteScheduler(shift=SCHEDULER["flow_shift"]),
}
DECODED_AT_ONCE = 16


def add_model_options(add: Any) -> None:
    """What a `Bench` must be told, as options of a command line; in float32, one prompt at a time."""
    add("--checkpoint", type=Path, default=pocket.checkpoint_path())
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    add("--dtype", default="float32", choices=("float32", "bfloat16", "float16"))
    add("--scheduler", default="UniPC", choices=SCHEDULERS)
    add("--guidance", type=float, default=5.0)
    add("--frames", type=int, default=pocket.FRAMES)
    add("--size", type=int, default=pocket.SIZE)
    add("--max-sequence-length", type=int, default=32)
    add("--trained-videos", type=int, default=denoiser.Settings.videos)


class Bench:
    """The pipeline with its prompts: everything but the cache and the schedule stays the same from run to run."""

    def __init__(self, options: argparse.Namespace) -> None:
        """Open the model and encode the prompts; videos are decoded in float32 to leave only the cache to be seen."""
        torch.backends.cudnn.allow_tf32 = False
        self.options, self.which = options, "tune" if options.tune else "held-out"
        kinds = {"default": getattr(torch, options.dtype), "vae": torch.float32}
        self.pipe: Any = WanPipeline.from_pretrained(options.checkpoint, dtype=kinds).to(options.device)
        self.pipe.set_progress_bar_config(disable=True)
        self.prompts = choose_prompts(self.which, options.prompts, options.trained_videos)
        length = {"max_sequence_length": options.max_sequence_length, "device": options.device}
        with torch.no_grad():
            self.texts, _ = self.pipe.encode_prompt(self.prompts, "", False, **length)
            self.nothing, _ = self.pipe.encode_prompt("", "", False, **length)

    def schedule(self, name: str) -> None:
        """Change the sampler."""
        self.pipe.register_modules(scheduler=SCHEDULERS[name]())

    @torch.no_grad()
    def latents(self, rows: Sequence[int], steps: int, after_step: Callable[[], None] | None = None) -> Tensor:
        """Denoise some of the prompts as one batch, each from its own noise."""
        options, seed = self.options, SEEDS[self.which]
        return self.pipe(
            prompt_embeds=self.texts[list(rows)],
            negative_prompt_embeds=self.nothing.repeat(len(rows), 1, 1),
            height=options.size,
            width=options.size,
            num_frames=options.frames,
            num_inference_steps=steps,
            guidance_scale=options.guidance,
            generator=[torch.Generator().manual_seed(seed + row) for row in rows],
            output_type="latent",
            callback_on_step_end=None if after_step is None else lambda _, __, ___, kept: after_step() or kept,
        ).frames

    def batches(self, title: str) -> Any:
        """The rows of each batch, behind a bar that goes when it is done."""
        size, count = self.options.batch, len(self.prompts)
        parts = [range(first, min(first + size, count)) for first in range(0, count, size)]
        return tqdm(parts, desc=title, unit="batch", leave=False, disable=None)

    @torch.no_grad()
    def decode(self, latents: Tensor) -> Tensor:
        """Videos (count, frames, height, width, 3) in [0, 1], on the device."""
        vae = self.pipe.vae
        mean, std = (
            torch.tensor(values, device=latents.device).view(1, -1, 1, 1, 1)
            for values in (vae.config.latents_mean, vae.config.latents_std)
        )
        parts = (latents.float() * std + mean).split(DECODED_AT_ONCE)
        videos = torch.cat([vae.decode(part, return_dict=False)[0] for part in parts])
        return (videos / 2 + 0.5).clamp(0, 1).movedim(1, -1)


class Scorer:
    """PSNR, SSIM and, where its weights are, LPIPS of many videos at once, one figure a video."""

    def __init__(self, device: str, metrics: Sequence[str]) -> None:
        """Load what the metrics need, once."""
        self.metrics, self.net = metrics, None
        self.missing = "" if "lpips" in metrics else "left out by --metrics"
        if "lpips" in metrics:
            try:
                self.net = Lpips(load(None)).to(device, precision(torch.device(device)))
            except WeightsError as error:
                self.missing = str(error)

    def score(self, reference: Tensor, videos: Tensor) -> dict[str, list[float] | None]:
        """Mean over the frames of each video; None for a metric that cannot be had."""
        count, frames = videos.shape[:2]
        pair = reference.flatten(0, 1), videos.flatten(0, 1)
        psnr = [decibels(error) for error in frame_errors(*pair).tolist()]
        found: dict[str, Tensor | None] = {"psnr": torch.tensor(psnr, dtype=torch.float64), "ssim": None, "lpips": None}
        if "ssim" in self.metrics:
            found["ssim"] = per_frame(frame_ssim, pair, "SSIM")
        if self.net is not None and min(videos.shape[2:4]) >= SMALLEST:
            found["lpips"] = per_frame(self.net, pair, "LPIPS")
        return {
            name: None if values is None else values.view(count, frames).mean(1).tolist()
            for name, values in found.items()
        }


def computed_steps(run: RunRecord) -> list[int]:
    """Computed steps of each sample of a batch."""
    counts = Counter(step.sample for step in run.leading if step.computed)
    return [counts[sample] for sample in run.sample_numbers]


def summarise(each: dict[str, list[float] | None]) -> dict[str, Any]:
    """Means over the prompts, the worst PSNR, and the figures of each prompt for whoever wants to pair them."""
    means = {name: None if values is None else sum(values) / len(values) for name, values in each.items()}
    short = {name: None if values is None else [float(f"{v:.6g}") for v in values] for name, values in each.items()}
    return {**means, "psnr_worst": min(each["psnr"] or [float("nan")]), "each": short}
