"""The files of one prompt, and the figures they hold."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navicache.generation.calls import Pair, Take
from navicache.generation.media import Media
from navicache.records import RunRecord, open_atomic_file
from navicache.report.calibration_plot import can_calibrate, save_calibration_plot
from navicache.report.side_by_side import AMPLIFIED, difference, side_by_side
from navicache.report.trace_plot import save_trace_plot


@dataclass(frozen=True)
class Result:
    """What was found out about one prompt, and where it lies."""

    prompt: str
    pair: Pair
    files: Mapping[str, Path]  # by what they show
    quality: Any = None  # a `navicache.evaluation.Comparison`; None where nothing was compared

    @property
    def policy(self) -> str:
        """The name of the policy that ran."""
        return next((run.policy for run in self.pair.trace.runs), "cached")

    @property
    def steps(self) -> dict[str, int]:
        """Counts over all transformers."""
        computed, total = (sum(getattr(run, name) for run in self.pair.trace.runs) for name in ("computed", "length"))
        return {"total": total, "computed": computed, "reused": total - computed}

    @property
    def speedup(self) -> dict[str, float | None]:
        """Plain over cached seconds: of the whole call and of the denoising loop."""
        return {} if self.pair.plain is None else speedups(self.pair.plain, self.pair.cached)


def speedups(plain: Take, cached: Take) -> dict[str, float | None]:
    """Measured, by the clock."""
    ways = {"call": (plain.call_seconds, cached.call_seconds), "loop": (plain.loop_seconds, cached.loop_seconds)}
    return {name: slow / fast if slow and fast else None for name, (slow, fast) in ways.items()}


def write(prompt: str, pair: Pair, folder: Path, fps: int, about: Mapping[str, Any]) -> Result:
    """Write everything; a file takes its name only once it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    made = pair.cached.media
    files = {"cached": folder / f"{made.name}{made.suffix}", "trace": folder / "trace.json"}
    made.save(files["cached"], fps)
    pair.trace.save(files["trace"])
    for name, run in _calibrations(pair).items():
        files[name] = folder / f"{name}.png"
        save_calibration_plot(run, files[name])
    if pair.plain is None:
        return Result(prompt, pair, files)
    return _write_comparison(Result(prompt, pair, files), pair.plain, folder, fps, about)


def _write_comparison(bare: Result, plain: Take, folder: Path, fps: int, about: Mapping[str, Any]) -> Result:
    from navicache.evaluation import compare

    made = bare.pair.cached.media
    files = {
        **bare.files,
        "plain": folder / f"plain{made.suffix}",
        "side by side": folder / f"side_by_side{made.suffix}",
        "metrics": folder / "metrics.json",
        **{name: folder / f"{name.replace('plot', 'trace')}.png" for name in _plots(bare)},
    }
    result = Result(bare.prompt, bare.pair, files, compare(plain.media.clip, made.clip))
    plain.media.save(files["plain"], fps)
    Media(side_by_side(panels(result, plain.media)), made.is_video).save(files["side by side"], fps)
    for name, run in _plots(result).items():
        save_trace_plot(run, files[name])
    with open_atomic_file(files["metrics"]) as file:
        file.write(json.dumps(metrics(result, plain, about), indent=1, allow_nan=False).encode() + b"\n")
    return result


def _plots(result: Result) -> dict[str, RunRecord]:
    return _numbered("plot", result.pair.trace.runs)


def _calibrations(pair: Pair) -> dict[str, RunRecord]:
    """Shadow runs that have something to draw; where one has not, its summary says why."""
    return _numbered("calibration", [run for run in pair.trace.runs if run.shadow and can_calibrate(run)])


def _numbered(name: str, runs: Iterable[RunRecord]) -> dict[str, RunRecord]:
    """Runs by the names of their pictures: two experts have one each."""
    return {name if number == 1 else f"{name}_{number}": run for number, run in enumerate(runs, start=1)}


def panels(result: Result, plain: Media) -> dict[str, Any]:
    """What stands side by side, under its name."""
    faster = result.speedup["call"]
    return {
        "no cache": plain.frames,
        f"{result.policy} {faster:.2f}x": result.pair.cached.media.frames,
        f"difference x {AMPLIFIED:g}": difference(plain.frames, result.pair.cached.media.frames),
    }


def metrics(result: Result, plain: Take, about: Mapping[str, Any]) -> dict[str, Any]:
    """The figures, ready for JSON."""
    return {
        "prompt": result.prompt,
        **about,
        "policy": result.policy,
        "steps": result.steps,
        "quality": result.quality.to_dict(),
        "seconds": {"plain": plain.seconds(), "cached": result.pair.cached.seconds()},
        "speedup": result.speedup,
    }
