"""How the embedded model's output answers its input, step by step, when every step is computed.

    python -m benchmarks.training.trajectory                                 # the packaged checkpoint
    python -m benchmarks.training.trajectory --checkpoint build/pocket/checkpoint --device cuda --batch 64
    python -m benchmarks.training.trajectory --prompts 1 --steps 6           # to try the script

Records the ratio that navicache tracks, mean|y_i - y_(i-1)| / mean|x_i - x_(i-1)| of the conditional branch (x: latent,
y: output of the transformer), by navicache itself with threshold 0. Writes a JSON file and a plot.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from diffusers import (
    DPMSolverMultistepScheduler,
    FlowMatchEulerDiscreteScheduler,
    UniPCMultistepScheduler,
    WanPipeline,
)
from tqdm import tqdm

import navicache
import navicache.pocket
from benchmarks.json_file import save_json
from navicache_pocket.train.configs import SCHEDULER
from navicache_pocket.world import draw_scenes, write_captions
from navicache_pocket.world.render import FRAMES, SIZE

SEED = 930_001
QUANTITIES = {"ratio": "measured_ratio", "change": "output_change"}
Recorded = dict[str, list[list[float]]]


def schedulers() -> dict[str, Any]:
    """The three samplers, all with the shift the model was trained with."""
    return {
        "UniPC": UniPCMultistepScheduler(**SCHEDULER),
        "DPM++ multistep": DPMSolverMultistepScheduler(**SCHEDULER),
        "flow Euler": FlowMatchEulerDiscreteScheduler(shift=SCHEDULER["flow_shift"]),
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Record with each scheduler, write, draw."""
    options = _options(arguments)
    pipe = WanPipeline.from_pretrained(options.checkpoint, dtype=getattr(torch, options.dtype)).to(options.device)
    pipe.set_progress_bar_config(disable=True)
    prompts = write_captions(draw_scenes(options.prompts, SEED))
    found: dict[str, Recorded] = {}
    for name, scheduler in schedulers().items():
        pipe.register_modules(scheduler=scheduler)
        found[name] = record(pipe, prompts, name, options)
        means = torch.tensor(found[name]["ratio"]).mean(0)
        print(f"{name}: mean ratio {means[0]:.2f} at first, {means.min():.2f} at least, {means[-1]:.2f} at last")
    settings = {name: value for name, value in vars(options).items() if not isinstance(value, Path)}
    save_json(options.out / "trajectory.json", {"settings": settings, "trajectories": found}, indent=None)
    from benchmarks.training.trajectory_plot import (
        save_plot,  # after the figures are safe: matplotlib may be missing where the GPU is
    )

    subtitle = f"{options.prompts} prompts, {options.steps} steps, guidance {options.guidance:g}, {options.dtype}"
    save_plot(found, options.out / "trajectory.png", subtitle)
    print(f"written to {options.out}")
    return found


def record(pipe: Any, prompts: Sequence[str], name: str, options: argparse.Namespace) -> Recorded:
    """Each quantity as one list a prompt, with a value for every step but the first, which has no predecessor."""
    lists: Recorded = {quantity: [] for quantity in QUANTITIES}
    for first in tqdm(range(0, len(prompts), options.batch), desc=name, unit="batch"):
        some = prompts[first : first + options.batch]
        for row in _computed(pipe, some, SEED + first, options):
            for quantity, values in row.items():
                lists[quantity].append(values)
    return lists


def _computed(
    pipe: Any, prompts: Sequence[str], seed: int, options: argparse.Namespace
) -> Iterator[dict[str, list[float]]]:
    """One run in which nothing is reused; yields what each sample's leading branch showed."""
    with navicache.enable(pipe, policy="navicache", threshold=0.0, align_steps=2) as cache, torch.no_grad():
        pipe(
            prompt=list(prompts),
            height=options.size,
            width=options.size,
            num_frames=options.frames,
            num_inference_steps=options.steps,
            guidance_scale=options.guidance,
            generator=[torch.Generator().manual_seed(seed + row) for row in range(len(prompts))],
            max_sequence_length=options.max_sequence_length,
            output_type="latent",
        )
        run = cache.trace.runs[-1]
    assert run.computed == run.length == len(prompts) * options.steps, "every step must have been computed"
    for sample in run.sample_numbers:
        yield {name: list(run.column(field, sample, "cond")[1:]) for name, field in QUANTITIES.items()}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    cuda = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, default=navicache.pocket.checkpoint_path())
    parser.add_argument("--out", type=Path, default=Path("build/pocket_trajectory"))
    parser.add_argument("--prompts", type=int, default=64)
    parser.add_argument("--batch", type=int, default=32 if cuda else 4)
    parser.add_argument("--device", default="cuda" if cuda else "cpu")
    parser.add_argument(
        "--dtype", default="bfloat16" if cuda else "float32", choices=("float32", "bfloat16", "float16")
    )
    parser.add_argument("--max-sequence-length", type=int, default=32)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--guidance", type=float, default=5.0)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--size", type=int, default=SIZE)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    return options


if __name__ == "__main__":
    main()
