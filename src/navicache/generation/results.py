"""The result of one prompt: its figures and its files."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navicache.generation.media import Media
from navicache.generation.sound import pair_sounds
from navicache.generation.timed_calls import PromptRuns, TimedOutput
from navicache.records import RunRecord, open_atomic_file
from navicache.report.calibration_plot import has_checked_reuses, save_calibration_plot
from navicache.report.side_by_side import AMPLIFIED, amplify_difference, join_panels
from navicache.report.trace_plot import save_trace_plot


@dataclass(frozen=True)
class PromptResult:
    """Runs, files and quality of one prompt."""

    prompt: str
    pair: PromptRuns
    files: Mapping[str, Path]  # by what they show
    quality: Any = None  # a `navicache.evaluation.Comparison`; None where nothing was compared

    @property
    def policy(self) -> str:
        """The policy that ran."""
        return next((run.policy for run in self.pair.trace.runs), "cached")

    @property
    def steps(self) -> dict[str, int]:
        """Step counts, summed over all denoisers."""
        computed, total = (sum(getattr(run, name) for run in self.pair.trace.runs) for name in ("computed", "length"))
        return {"total": total, "computed": computed, "reused": total - computed}

    @property
    def speedup(self) -> dict[str, float | None]:
        """Seconds without the cache over seconds with it: of the whole call and of the denoising loop."""
        return {} if self.pair.plain is None else measure_speedups(self.pair.plain, self.pair.cached)


def measure_speedups(plain: TimedOutput, cached: TimedOutput) -> dict[str, float | None]:
    """The measured speed-up of the whole call and of the denoising loop."""
    ways = {"call": (plain.call_seconds, cached.call_seconds), "loop": (plain.loop_seconds, cached.loop_seconds)}
    return {name: slow / fast if slow and fast else None for name, (slow, fast) in ways.items()}


def write_result(prompt: str, pair: PromptRuns, folder: Path, fps: int, about: Mapping[str, Any]) -> PromptResult:
    """Write all files of a prompt, each atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pair.cached.media
    files = {"cached": folder / f"{made.name}{made.suffix}", "trace": folder / "trace.json"}
    made.save(files["cached"], fps)
    pair.trace.save(files["trace"])
    drawable = [run for run in pair.trace.runs if run.shadow and has_checked_reuses(run)]
    for name, run in _number_runs("calibration", drawable).items():
        files[name] = folder / f"{name}.png"
        save_calibration_plot(run, files[name])
    if pair.plain is None:
        return PromptResult(prompt, pair, files)
    return _write_comparison(PromptResult(prompt, pair, files), pair.plain, folder, fps, about)


def _write_comparison(
    bare: PromptResult, plain: TimedOutput, folder: Path, fps: int, about: Mapping[str, Any]
) -> PromptResult:
    from navicache.evaluation import compare

    made = bare.pair.cached.media
    files = {
        **bare.files,
        "plain": folder / f"plain{made.suffix}",
        "side by side": folder / f"side_by_side{made.suffix}",
        "metrics": folder / "metrics.json",
        **{name: folder / f"{name.replace('plot', 'trace')}.png" for name in _trace_plots(bare)},
    }
    result = PromptResult(
        bare.prompt,
        bare.pair,
        files,
        compare(plain.media.clip, made.clip, sounds=pair_sounds(plain.media.sound, made.sound)),
    )
    plain.media.save(files["plain"], fps)
    Media(join_panels(build_panels(result, plain.media)), made.is_video).save(files["side by side"], fps)
    for name, run in _trace_plots(result).items():
        save_trace_plot(run, files[name])
    with open_atomic_file(files["metrics"]) as file:
        file.write(json.dumps(metrics_document(result, plain, about), indent=1, allow_nan=False).encode() + b"\n")
    return result


def _trace_plots(result: PromptResult) -> dict[str, RunRecord]:
    return _number_runs("plot", result.pair.trace.runs)


def _number_runs(name: str, runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Runs by the names of their plots; a second denoiser gets a number."""
    return {name if number == 1 else f"{name}_{number}": run for number, run in enumerate(runs, start=1)}


def build_panels(result: PromptResult, plain: Media) -> dict[str, Any]:
    """The videos that stand side by side, by their labels."""
    faster = result.speedup["call"]
    return {
        "no cache": plain.frames,
        f"{result.policy} {faster:.2f}x": result.pair.cached.media.frames,
        f"difference x {AMPLIFIED:g}": amplify_difference(plain.frames, result.pair.cached.media.frames),
    }


def metrics_document(result: PromptResult, plain: TimedOutput, about: Mapping[str, Any]) -> dict[str, Any]:
    """All figures as plain values for JSON."""
    return {
        "prompt": result.prompt,
        **about,
        "policy": result.policy,
        "steps": result.steps,
        "quality": result.quality.to_dict(),
        "seconds": {"plain": plain.seconds(), "cached": result.pair.cached.seconds()},
        "speedup": result.speedup,
    }
