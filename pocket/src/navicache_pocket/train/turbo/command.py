"""Train `turbo`: `python -m navicache_pocket.train --member turbo --device cuda --out build/turbo`.

The teacher is wan with guidance; its course is followed once, then the adapter is trained for `--seconds`. An
interrupted training goes on when it is called again. OUT/adapter is the member's folder, OUT/figures.json says how far
videos of eight steps are from the teacher's, beside wan's own in eight steps, and OUT/sheet.jpg shows them.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from diffusers import FlowMatchEulerDiscreteScheduler, WanPipeline

from navicache.pocket.held_out import choose_prompts
from navicache.records import open_atomic_file
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.turbo.distillation import DistillationSettings, distil
from navicache_pocket.train.turbo.low_rank import read_low_rank
from navicache_pocket.train.turbo.pipeline import apply_adapter, save_adapter
from navicache_pocket.train.turbo.trajectories import TeacherSettings, build_scheduler, build_trajectories
from navicache_pocket.train.wild.pipeline import VideoCall, generate_videos, save_contact_sheet

WAN_FOLDER = Path(__file__).parents[2] / "wan"
SHOWN = 8
TEACHER_STEPS = 50


def train_from_command_line(arguments: Sequence[str]) -> None:
    """Follow the teacher, train, save, and compare."""
    options = _parse_options(arguments)
    torch.set_float32_matmul_precision("high")
    teacher = TeacherSettings(videos=options.videos, batch=options.batch, max_seconds=options.teacher_seconds)
    course = build_trajectories(options.base, compute_latent_shape(options), options.device, teacher)
    print(f"{len(course.states)} courses of {teacher.steps} steps", flush=True)
    stage = TimedStage("turbo", options.out, options.seconds)
    adapted = distil(stage, course, options.base, DistillationSettings(options.rank, options.batch))
    save_adapter(read_low_rank(adapted), build_scheduler(teacher), options.out / "adapter")
    figures = {**compare(options, teacher), "loss": stage.log[-1:], "steps": stage.step}
    with open_atomic_file(options.out / "figures.json") as saved:
        saved.write((json.dumps(figures, indent=1) + "\n").encode())
    print(json.dumps(figures))


def compute_latent_shape(options: argparse.Namespace) -> tuple[int, int, int, int]:
    """Channels, frames, rows and columns of a video's latent."""
    vae = json.loads((options.base / "vae" / "config.json").read_text(encoding="utf-8"))
    cells = options.size // vae["scale_factor_spatial"]
    return vae["z_dim"], (options.frames - 1) // vae["scale_factor_temporal"] + 1, cells, cells


def compare(options: argparse.Namespace, teacher: TeacherSettings) -> dict[str, Any]:
    """PSNR to the guided videos of many steps: of the student, and of wan with guidance in as few steps."""
    prompts = choose_prompts("tune", options.samples)
    pipe: Any = WanPipeline.from_pretrained(options.base, dtype=torch.float32).to(options.device)
    pipe.set_progress_bar_config(disable=True)
    pipe.scheduler = FlowMatchEulerDiscreteScheduler(shift=teacher.shift)
    long = VideoCall(TEACHER_STEPS, options.size, options.frames, teacher.guidance)
    wanted = generate_videos(pipe, prompts, long, seed=0)
    pipe.scheduler = build_scheduler(teacher)
    few = generate_videos(pipe, prompts, replace(long, steps=teacher.steps), seed=0)
    apply_adapter(pipe, options.out / "adapter")
    own = generate_videos(pipe, prompts, replace(long, steps=teacher.steps, guidance=1.0), seed=0)
    save_contact_sheet(torch.cat([wanted[:SHOWN], own[:SHOWN]]), options.out / "sheet.jpg")
    return {"student": measure_psnr(own, wanted), "wan in as few steps": measure_psnr(few, wanted)}


def measure_psnr(videos: torch.Tensor, wanted: torch.Tensor) -> float:
    """Mean over the videos, in dB."""
    error = (videos - wanted).square().flatten(1).mean(1)
    return round(float(-10 * error.log10().mean()), 3)


def _parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m navicache_pocket.train --member turbo", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base", type=Path, default=WAN_FOLDER, help="the folder of wan")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=180.0, help="of training")
    parser.add_argument("--teacher-seconds", type=float, default=TeacherSettings.max_seconds)
    parser.add_argument("--videos", type=int, default=TeacherSettings.videos, help="that the teacher makes")
    parser.add_argument("--batch", type=int, default=DistillationSettings.batch)
    parser.add_argument("--rank", type=int, default=DistillationSettings.rank)
    parser.add_argument("--size", type=int, default=VideoCall.size)
    parser.add_argument("--frames", type=int, default=VideoCall.frames)
    parser.add_argument("--samples", type=int, default=32, help="videos to compare")
    return parser.parse_args(arguments)
