"""One condition of the quality benchmark: its reference, and its curves point by point."""

import time

import torch
from quality_bars import FALLEN, STEP_BARS
from quality_curves import CURVES, Point, Span, next_setting
from quality_rivals import Rival, Stopwatch, Yardstick, cached, find
from quality_rows import Deadline, Results, Row, code_digest
from quality_runs import Bench, Scorer, computed_steps, summarise
from torch import Tensor
from tqdm import tqdm

import navicache

TIMED, TIMED_GAP = (0.22, 0.72), 4.0  # shares of the steps between which settings are timed, and how far apart


class Session:
    """A scheduler and a number of steps: batched, one by one, or one by one by the clock."""

    def __init__(self, bench: Bench, scorer: Scorer, results: Results, condition: Row) -> None:
        """Nothing runs before the first setting that is missing."""
        self.bench, self.scorer, self.results, self.condition = bench, scorer, results, condition
        self.steps, self.kind = condition["steps"], condition["kind"]
        self.batched = self.kind == "steps"
        self.watch = Stopwatch(bench, self.steps, bench.options.rounds if self.kind == "timed" else 1)
        self.full = Yardstick(self.watch)
        self.rows = range(condition["prompts"])
        self._reference: Tensor | None = None

    def reference(self) -> Tensor:
        """The videos with every step computed, made once; in batches where batch and single run differ by rounding."""
        if self._reference is None:
            self.bench.schedule(self.condition["scheduler"])
            if self.kind == "timed" or not (self.batched or self.bench.options.dtype == "float32"):
                self.bench.latents([0], 2)  # warm up
                latents = self.watch.run(self.rows, "every step")[0]
            else:
                latents = torch.cat([self.bench.latents(r, self.steps) for r in self.bench.batches("every step")])
            self._reference = self.bench.decode(latents)
        return self._reference

    def measure(self, curve: str, setting: float) -> Row:
        """One finished setting."""
        reference, start = self.reference(), time.perf_counter()
        work = {"steps": self._batched, "one by one": self._one_by_one, "timed": self._timed}[self.kind]
        latents, figures = work(curve, setting)
        denoised = time.perf_counter()
        scores = self.scorer.score(reference, self.bench.decode(latents))
        each = {"computed": figures.pop("computed"), **scores}
        took = {"denoising": denoised - start, "scoring": time.perf_counter() - denoised}
        about = {"curve": curve, "setting": setting, "group": find(curve).group, "knobs": dict(find(curve).knobs)}
        return {**self.condition, **about, **summarise(each), **figures, "took": took, "code": code_digest()}

    def _batched(self, curve: str, setting: float) -> tuple[Tensor, Row]:
        parts, computed = [], []
        for rows in self.bench.batches(f"{curve} {setting:g}"):
            with navicache.enable(self.bench.pipe, CURVES[curve].policy(setting)) as cache:
                parts.append(self.bench.latents(rows, self.steps))
                computed += computed_steps(cache.trace.runs[-1])
        return torch.cat(parts), {"computed": computed}

    def _one_by_one(self, curve: str, setting: float) -> tuple[Tensor, Row]:
        with cached(self.bench, curve, setting, self.steps):
            latents, _, computed = self.watch.run(self.rows, f"{curve} {setting:g}")
        return latents, {"computed": computed}

    def _timed(self, curve: str, setting: float) -> tuple[Tensor, Row]:
        """By the clock, beside runs that compute every step."""
        full = [self.full.seconds()]
        with cached(self.bench, curve, setting, self.steps):
            latents, seconds, computed = self.watch.run(self.rows, f"{curve} {setting:g}")
        full.append(self.full.seconds())
        mean, mean_full = sum(seconds) / len(seconds), sum(full) / len(full)
        clock = {
            "rounds": self.watch.rounds,
            "seconds": mean,
            "seconds_full": mean_full,
            "speedup": mean_full / mean,
        }
        return latents, {"computed": computed, **clock}

    def trace_curve(self, curve: str, deadline: Deadline) -> bool:
        """Measure until the curve is known; False when time is up first."""
        title = "{scheduler} {steps} {kind}".format(**self.condition)
        with tqdm(desc=f"{title}: {curve}", unit="setting") as bar:
            while (setting := self.next_setting(curve)) is not None:
                if not deadline.room():
                    return False
                self.reference()
                deadline.begin()  # the reference is made once, so it says nothing about the next setting
                row = self.measure(curve, setting)
                self.results.add(row)
                deadline.lap()
                bar.set_postfix_str(f"{setting:g}: {row['computed']:.1f} steps, {row['psnr']:.2f} dB")
                bar.update()
        return True

    def next_setting(self, curve: str) -> float | None:
        """What is missing of a curve: of a fixed list, or by search."""
        kind, rows = find(curve), self.results.of(self.condition, curve)
        options = self.bench.options
        fixed = options.settings or options.lists.get(curve) or (kind.settings if isinstance(kind, Rival) else ())
        if fixed:
            return next((value for value in fixed if value not in [row["setting"] for row in rows]), None)
        points = [Point(row["setting"], row["computed"], row["psnr"]) for row in rows]
        return next_setting(points, kind.first, self.span())

    def span(self) -> Span:
        """Where the curves of this condition are asked for."""
        options = self.bench.options
        if not self.batched:
            return Span(self.steps * TIMED[0], self.steps * TIMED[1], gap=TIMED_GAP)
        bars = [bar.at for bar in STEP_BARS if bar.steps == self.steps and bar.at is not None]
        return Span.of_run(self.steps, gap=options.gap, floor=FALLEN, targets=tuple(bars) if options.only_bars else ())
