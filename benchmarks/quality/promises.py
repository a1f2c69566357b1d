"""Do the targets of `inertial` keep their word on a model of the embedded family? On held-out prompts, in one call.

    python -m benchmarks.quality.promises --model pocket:unet   # max_error=0.05, and what speed-ups 2 and 2.5 compute
    python -m benchmarks.quality.promises --model pocket        # for wan also: does each video still show the same?
    python -m benchmarks.quality.promises --model pocket:unet --prompts 2 --steps 12           # to try the script

`max_error`: every step is computed, and the true error of what was reused is held against the limit. `speedup`: the
computed steps of every prompt. What wan's videos show is read by `navicache_pocket.reader`, with a cache and without;
it compares what was made with what was made, so a model that draws something else than its prompt does not count.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import navicache
from benchmarks.json_file import save_json
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.pocket import MEMBERS
from navicache.pocket.held_out import choose_prompts
from navicache.records import collect_reuse_checks, split_by_sample
from navicache_pocket.reader import BackgroundClassifier, VideoReading, fit_background_classifier, read_videos


def true_errors(pipe: Any, call: dict[str, Any], limit: float) -> list[list[float]]:
    """Of every prompt's reused steps, each relative to the output it stands for."""
    with navicache.enable(pipe, max_error=limit, shadow="cached") as cache:
        generate(pipe, call, "latent")
        runs = [trace.runs[-1] for trace in split_by_sample(cache.trace, len(call["prompt"]))]
    return [[float(f"{step.true_error:.4g}") for step in collect_reuse_checks(run)] for run in runs]


def computed(pipe: Any, call: dict[str, Any], speedup: float) -> tuple[list[int], Any]:
    """Computed steps of every prompt, and what was made."""
    with navicache.enable(pipe, speedup=speedup) as cache:
        made = generate(pipe, call)
        runs = [trace.runs[-1] for trace in split_by_sample(cache.trace, len(call["prompt"]))]
    return [run.computed for run in runs], made


def shown(frames: Any, prompts: Sequence[str], backgrounds: BackgroundClassifier) -> VideoReading:
    """What the videos show."""
    pairs = torch.tensor([" and " in prompt for prompt in prompts])
    return read_videos(2 * torch.as_tensor(frames).movedim(-1, 1) - 1, pairs, backgrounds)


def changed(plain: VideoReading, cached: VideoReading) -> dict[str, list[int]]:
    """The prompts whose video shows something else, by what it is."""
    parts = ("background", "colour", "direction", "shape")
    return {part: (getattr(plain, part) != getattr(cached, part)).nonzero().flatten().tolist() for part in parts}


def report(found: dict[str, Any]) -> str:
    """Every promise in words."""
    errors, limit, steps = found["errors"], found["limit"], found["steps"]
    every = [error for row in errors for error in row]
    reused = [100 * len(row) / steps for row in errors]
    kept = f", within the limit at {share(every, limit):.1f} % of them, largest {max(every):.3f}" if every else ""
    told = f"{found['model']} {found['dtype']}, {len(errors)} prompts, max_error={limit:g}"
    lines = [f"{told}: {sum(reused) / len(reused):.1f} % of the steps reused{kept}"]
    for speedup, counts in found["speedup"].items():
        lines.append(f"speedup={speedup}: {min(counts)} to {max(counts)} of {steps} computed")
    for speedup, parts in found["changed"].items():
        numbers = ", ".join(f"{part} {len(prompts)}" for part, prompts in parts.items())
        lines.append(f"speedup={speedup}, videos that show something else: {numbers}")
    return "\n".join(lines)


def share(errors: Sequence[float], limit: float) -> float:
    """How many of them are within the limit, in percent.

    Example:
        >>> share([0.01, 0.06], 0.05)
        50.0
    """
    return 100 * sum(error <= limit for error in errors) / len(errors)


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """All of it for one model, written beside what is said."""
    options = _options(arguments)
    source = ModelSource(options.model, options.dtype, options.device)
    pipe = load_pipeline(source)
    pipe.set_progress_bar_config(disable=True)
    prompts = choose_prompts("held-out", options.prompts)
    call = {**source.member.call, **({"num_inference_steps": options.steps} if options.steps else {})}
    found = {"model": options.model, "dtype": options.dtype, "steps": call["num_inference_steps"], "prompts": prompts}
    call |= {"prompt": prompts, "return_dict": False}
    found |= {"limit": options.limit, "errors": true_errors(pipe, call, options.limit), "speedup": {}, "changed": {}}
    reading = source.member.name == "wan"
    backgrounds = fit_background_classifier() if reading else None
    plain = shown(generate(pipe, call), prompts, backgrounds) if reading else None
    for speedup in options.speedups:
        found["speedup"][str(speedup)], made = computed(pipe, call, speedup)
        if reading:
            found["changed"][str(speedup)] = changed(plain, shown(made, prompts, backgrounds))
    save_json(options.out, found, indent=None)
    print(report(found))
    return found


def generate(pipe: Any, call: dict[str, Any], output_type: str = "np") -> Any:
    """One call for all prompts, every time and for each of them with the same noise."""
    noise = [torch.Generator().manual_seed(0) for _ in call["prompt"]]
    return pipe(output_type=output_type, generator=noise, **call)[0]


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    known = ["pocket", *(f"pocket:{name}" for name in MEMBERS)]
    add("--model", default="pocket", choices=known, metavar="NAME", help=f"{', '.join(known)} (%(default)s)")
    add("--dtype", default="float32")
    add("--device", default="auto")
    add("--out", type=Path, default=Path("build/promises.json"))
    add("--prompts", type=int, default=64)
    add("--steps", type=int, help="of the run, in place of the model's usual number")
    add("--limit", type=float, default=0.05)
    add("--speedups", type=float, nargs="*", default=[2.0, 2.5])
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main()
