"""What is it worth to predict a model's sound, in place of repeating its last computed output?

    python -m benchmarks.quality.held_sound --prompts 16 --out build/held_sound
    python -m benchmarks.quality.held_sound build/sound/checkpoint        # one that was trained just now

Three runs of each held-out caption and speed-up: without the cache, with it, and with it while the sound's output is
held at reused steps. The two cached runs compute the same steps. `rows.jsonl` has all scores, and `figures.json` means
and the lead of predicted over held, both with 95 % intervals over the captions. `--small` takes the sizes of
`--member sound --small`.
"""

import argparse
import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.json_file import save_json
from navicache.evaluation import measure
from navicache.evaluation.intervals import estimate_mean
from navicache.generation.job import CacheSettings, GenerationJob, ModelSource
from navicache.generation.loading import load_pipeline
from navicache.generation.sound import pair_sounds
from navicache.generation.timed_calls import call_timed
from navicache.pocket.held_out import choose_prompts
from navicache_pocket.train.sound.command import SMALL_SIZES
from navicache_pocket.train.sound.sizes import SoundSizes

WAYS = ("predicted", "held")
METRICS = ("psnr", "audio")
SCORES = ("psnr", "audio_snr", "log_spectral_distance")


@contextmanager
def hold_sound(transformer: nn.Module) -> Generator[None, None, None]:
    """The second output of an LTX-2 transformer repeats the last computed one whenever its last layer did not run."""
    fresh: list[bool] = []
    kept: list[Tensor] = []

    def note_compute(*_: Any) -> None:
        fresh.append(True)

    def replace_sound(_module: nn.Module, _given: Any, output: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        video, sound = output
        if fresh or not kept:
            fresh.clear()
            kept[:] = [sound.clone()]
        return video, kept[0]

    hooks = [
        transformer.get_submodule("audio_proj_out").register_forward_hook(note_compute),
        transformer.register_forward_hook(replace_sound),
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def measure_prompt(pipe: Any, job: GenerationJob, prompt: str, speedups: Sequence[float]) -> Iterator[dict[str, Any]]:
    """A row for each speed-up and way."""
    plain = call_timed(pipe, job, prompt, "no cache", shown=False).media
    for speedup in speedups:
        for way in WAYS:
            settings = CacheSettings("inertial", knobs={"speedup": speedup})
            with settings.enable(pipe) as cache, ExitStack() as stack:
                if way == "held":
                    stack.enter_context(hold_sound(pipe.transformer))
                made = call_timed(pipe, job, prompt, way, shown=False).media
                computed = sum(run.computed for run in cache.trace.runs)
            sounds = pair_sounds(plain.sound, made.sound)
            scores = measure(plain.clip, made.clip, METRICS, sounds=sounds)
            about = {"prompt": prompt, "speedup": speedup, "way": way, "computed": computed}
            yield {**about, **{name: scores[name] for name in SCORES}}


def summarise(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Means of each speed-up and way, and the lead of predicted over held, caption by caption."""
    summary: list[dict[str, Any]] = []
    for speedup in dict.fromkeys(row["speedup"] for row in rows):
        own = {way: [row for row in rows if (row["speedup"], row["way"]) == (speedup, way)] for way in WAYS}
        for way, found in own.items():
            means = {name: estimate_mean([row[name] for row in found])._asdict() for name in SCORES}
            summary.append({"speedup": speedup, "way": way, "computed": found[0]["computed"], **means})
        pairs = list(zip(*own.values(), strict=True))
        leads = {name: estimate_mean([a[name] - b[name] for a, b in pairs])._asdict() for name in SCORES}
        summary.append({"speedup": speedup, "way": "lead", **leads})
    return summary


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and write the files."""
    options = _parse_options(arguments)
    source = ModelSource(options.model, options.dtype, options.device)
    member = (SMALL_SIZES if options.small else SoundSizes()).member
    call = {**member.call, **({"num_inference_steps": options.steps} if options.steps else {})}
    prompts = choose_prompts("held-out", options.prompts)
    job = GenerationJob(source, tuple(prompts), call, CacheSettings(), options.out)
    pipe = load_pipeline(source)
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with torch.no_grad(), (options.out / "rows.jsonl").open("w", buffering=1) as file:
        for prompt in prompts:
            for row in measure_prompt(pipe, job, prompt, options.speedups):
                rows.append(row)
                file.write(json.dumps(row) + "\n")
    summary = summarise(rows)
    save_json(options.out / "figures.json", summary)
    for entry in summary:
        cells = (f"{name} {entry[name]['mean']:.2f}{_format_interval(entry[name])}" for name in SCORES)
        print(f"{entry['speedup']:g}x {entry['way']:<9} " + ", ".join(cells))


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    model = "pocket:sound"
    parser.add_argument("model", nargs="?", default=model, help="or a folder of an LTX-2 checkpoint (%(default)s)")
    parser.add_argument("--speedups", type=float, nargs="+", default=[2.0, 3.0])
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="float32", help="(%(default)s)")
    parser.add_argument("--small", action="store_true", help="a checkpoint of `--member sound --small`")
    parser.add_argument("--steps", type=int, help="in place of the member's own")
    parser.add_argument("--out", type=Path, default=Path("build/held_sound"))
    return parser.parse_args(arguments)


def _format_interval(estimate: Mapping[str, Any]) -> str:
    return "" if estimate["low"] is None else f" ({estimate['low']:.2f} to {estimate['high']:.2f})"


if __name__ == "__main__":
    main()
