"""`navicache generate`: a video (or image) of a prompt, with the cache and, to compare, without."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from navicache.cli.job import NAMED, POCKET, USUAL_FPS, Job, Source, read_arguments, read_caching
from navicache.cli.values import above_zero, knob, positive
from navicache.records import ShadowMode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--model", default=POCKET, help=f"{NAMED} (%(default)s)")
    parser.add_argument("--prompt", action="append", help="what to show; give it again for more videos")
    parser.add_argument("--negative-prompt", help="what not to show")
    parser.add_argument("--image", metavar="FILE", help="the picture a video begins with, for pipelines that take one")
    parser.add_argument("--steps", type=positive, help="denoising steps")
    parser.add_argument("--shift", type=above_zero, help="flow shift of the scheduler, in place of the model's own")
    parser.add_argument("--guidance", type=float, help="guidance scale")
    parser.add_argument("--seed", type=int, default=0, help="of the noise, the same for every prompt (%(default)s)")
    parser.add_argument("--frames", type=positive, help="length of the video")
    parser.add_argument("--height", type=positive, help="in pixels")
    parser.add_argument("--width", type=positive, help="in pixels")
    parser.add_argument("--fps", type=positive, help=f"frames a second (8 for the pocket, {USUAL_FPS} else)")
    add_caching(parser)
    extra = parser.add_mutually_exclusive_group()  # the seconds of a shadow run say nothing about the cache
    extra.add_argument("--compare", action="store_true", help="also run without the cache, and measure the difference")
    shadow = "run every step, and draw predicted against true errors: on the cached or on the full trajectory"
    extra.add_argument("--shadow", choices=get_args(ShadowMode), help=shadow)
    parser.add_argument("--out", type=Path, default=Path("outputs/generate"), help="folder to write to (%(default)s)")
    add_holding(parser)


def add_holding(parser: argparse.ArgumentParser) -> None:
    """Options of how a model is held, here and in the studio."""
    parser.add_argument("--dtype", choices=("auto", "float32", "bfloat16", "float16"), default="auto")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1 or mps (%(default)s)")
    parser.add_argument("--offload", choices=("none", "model", "sequential", "group"), default="none")


def add_caching(parser: argparse.ArgumentParser) -> None:
    """Options of the cache, here and in the demo."""
    parser.add_argument("--policy", help="of the catalog (inertial; with --threshold navicache)")
    parser.add_argument("--mode", help="fast, mid or slow preset of the model")
    parser.add_argument("--threshold", type=float, help="of the policy, in place of the preset's")
    parser.add_argument("--speedup", type=float, help="a target, in place of a threshold: 2 computes every other step")
    parser.add_argument("--max-error", type=float, help="a target: relative error that no reused output should exceed")
    parser.add_argument(
        "--align-steps", type=positive, help="steps computed before the first reuse (name the policy too)"
    )
    knobs = "any knob of the policy: a number, true, false or text; give it again for more"
    parser.add_argument("--set", type=knob, action="append", default=[], metavar="NAME=VALUE", help=knobs)


def run(options: argparse.Namespace) -> int:
    """Generate, write, and say what came of it."""
    from navicache.cli.session import carry_out

    for result in carry_out(read_job(options)):
        print(describe(result), flush=True)
    return 0


def read_job(options: argparse.Namespace) -> Job:
    """The options as a job."""
    source = Source(options.model, options.dtype, options.device, options.offload, options.shift)
    return Job(
        source=source,
        prompts=tuple(options.prompt or default_prompts(source)),
        arguments=read_arguments(options, source),
        caching=replace(read_caching(options), shadow=options.shadow),
        out=options.out,
        seed=options.seed,
        fps=options.fps or source.fps,
        compare=options.compare,
    )


def default_prompts(source: Source) -> list[str]:
    """The pocket has prompts of its own; every other model needs one."""
    if not source.pocket:
        raise ValueError(
            f"say what to show: --prompt '...' (only the pocket has a prompt of its own, not {source.model})"
        )
    from navicache.pocket import PROMPTS

    return [PROMPTS[0]]


def describe(result: Any) -> str:
    """Decisions, seconds, quality and files, as lines."""
    lines = [f"\n{result.prompt}", *(f"  {line}" for line in result.pair.summary.splitlines())]
    for name, take in ((result.pair.label, result.pair.cached), ("no cache", result.pair.plain)):
        if take is not None:
            loop = "loop not told apart" if take.loop_seconds is None else f"denoising loop {take.loop_seconds:.2f} s"
            lines.append(f"  {name:<8} {take.call_seconds:7.2f} s for the whole call, {loop}")
    if faster := {name: f"{value:.2f}x" for name, value in result.speedup.items() if value}:
        lines.append("  measured speed-up: " + ", ".join(f"{value} ({name})" for name, value in faster.items()))
        lines.append("  against no cache:  " + describe_quality(result.quality))
    return "\n".join([*lines, *(f"  {path}" for path in result.files.values())])


def describe_quality(quality: Any) -> str:
    """The three figures every paper gives."""
    lpips = f"- ({quality.lpips_missing})" if quality.lpips is None else f"{quality.lpips:.4f}"
    return f"PSNR {quality.psnr:.2f} dB, SSIM {quality.ssim:.4f}, LPIPS {lpips}"
