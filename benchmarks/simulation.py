"""`inertial` a second time, as plain tensor code: many variants of it on many prompts, all in one batch.

The engine runs one policy at a time and decides on the host; for experiments that is slow. Here a row of the batch is a
prompt under a variant, and what is to be tried is a field of `Variant`. With the defaults it is the policy itself: the
same steps are computed and the same latents come out (tests/benchmarks/test_simulation.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import torch
from diffusers.utils.torch_utils import randn_tensor
from quality_runs import Bench
from simulation_rows import NOISE, Filter, mean_abs, mean_product, wide
from torch import Tensor

from navicache.pocket.held_out import SEEDS
from navicache.policies import dead_reckoning, error_gate, inertial

ALIGNED, AT_ONCE = 3, 512  # steps computed at first, rows a call of the model takes
NEVER = 2.0  # above every noise level


@dataclass(frozen=True)
class Variant:
    """What may be tried; the defaults are the policy at a threshold, None where that depends on the threshold."""

    threshold: float
    start: float = 1.0  # exponents of the tolerance: of 1 - sigma, and
    landing: float = 1.0  # of sigma
    growth_noise: float = NOISE  # Q of the gate's filter, and
    damping_noise: float = NOISE  # of the dampings'
    power: float = 1.0  # of the distance, by which the error grows
    momentum: float = 0.0  # share of the slope before in a slope
    first: float = dead_reckoning.START  # damping before one was measured
    amends: float = 0.5  # share of what was missed, added to the next predictions
    apart_amends: float = 0.0  # the same of the difference
    departure: float = 1.0
    fade: float = dead_reckoning.FADE
    prior: float | None = None  # growth by which the second step is spared; 0: it never is
    turns: float | None = None  # every other step above this noise level
    asked: float = 0.0  # 1: among the first steps also those are computed that the gate asks for
    carried: float | None = None  # of the difference's slope
    held_above: float = NEVER  # the noise level above which none of it is
    skipped: float | None = None  # steps just before the last that are never computed

    def knobs(self) -> dict[str, float]:
        """Every field as a number."""
        loose, sparse = self.threshold >= inertial.LOOSE, self.threshold >= inertial.SPARSE
        usual = {
            "prior": inertial.PRIOR if loose else 0.0,
            "turns": error_gate.ABOVE if sparse else NEVER,
            "carried": inertial.CARRIED if sparse else 1.0,
            "skipped": float(sparse),
        }
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return usual | {name: value for name, value in given.items() if value is not None}


class Simulation:
    """All rows of one run, in step."""

    def __init__(self, bench: Bench, variants: Sequence[Variant], scheduler: str, steps: int) -> None:
        """Set the sampler, and lay out one row for each prompt under each variant."""
        bench.schedule(scheduler)
        self.bench, self.steps, self.scheduler = bench, steps, bench.pipe.scheduler
        self.scheduler.set_timesteps(steps, device=bench.options.device)
        self.prompts, self.device = len(bench.prompts), bench.options.device
        knobs = [variant.knobs() for variant in variants]
        double = {"device": self.device, "dtype": torch.float64}
        columns = {name: torch.tensor([each[name] for each in knobs], **double) for name in knobs[0]}
        self.knobs = {name: column.repeat_interleave(self.prompts) for name, column in columns.items()}
        self.none = torch.zeros(self.prompts * len(variants), **double)
        self.dtype = bench.pipe.transformer.dtype

    @torch.no_grad()
    def run(self) -> tuple[Tensor, Tensor]:
        """The latents of all rows, and which steps each of them computed."""
        x, done = self._noise(), []
        for index, time in enumerate(self.scheduler.timesteps):
            seen, sigma = x.to(self.dtype).float(), float(self.scheduler.sigmas[index])
            if index == 0:
                compute = self._begin(seen, time)
            else:
                self._predict(index, seen, sigma)
                compute = self._decide(index, sigma)
                if len(rows := compute.nonzero()[:, 0]):
                    self._compute(index, seen, time, rows)
            self.seen = seen
            y, u = self.y.to(self.dtype), self.u.to(self.dtype)
            x = self.scheduler.step(u + self.bench.options.guidance * (y - u), time, x, return_dict=False)[0]
            done.append(compute)
        return x, torch.stack(done, 1)

    def _noise(self) -> Tensor:
        """Each prompt's own, as the pipeline draws it."""
        options, pipe = self.bench.options, self.bench.pipe
        frames = (options.frames - 1) // pipe.vae_scale_factor_temporal + 1
        side = options.size // pipe.vae_scale_factor_spatial
        shape = (self.prompts, pipe.transformer.config.in_channels, frames, side, side)
        seeds = [SEEDS[self.bench.which] + row for row in range(self.prompts)]
        drawn = [torch.Generator().manual_seed(seed) for seed in seeds]
        noise = randn_tensor(shape, generator=drawn, device=torch.device(self.device), dtype=torch.float32)
        return noise.repeat(len(self.none) // self.prompts, 1, 1, 1, 1)

    def _model(self, seen: Tensor, time: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Both branches of some rows."""
        parts: list[list[Tensor]] = [[], []]
        for some in rows.split(AT_ONCE):
            texts = self.bench.texts[some % self.prompts], self.bench.nothing.expand(len(some), -1, -1)
            call: dict[str, Any] = {"timestep": time.expand(len(some)), "return_dict": False}
            for kept, text in zip(parts, texts, strict=True):
                latent = seen[some].to(self.dtype)
                kept.append(self.bench.pipe.transformer(latent, encoder_hidden_states=text, **call)[0].float())
        return torch.cat(parts[0]), torch.cat(parts[1])

    def _begin(self, seen: Tensor, time: Tensor) -> Tensor:
        self.y, self.u = self._model(seen, time, torch.arange(len(self.none), device=self.device))
        self.newest = [seen.clone(), self.y.clone(), self.u - self.y]  # input, output, the branches' difference
        self.older = [kept.clone() for kept in self.newest]
        self.at, self.gap = self.none.clone(), self.none.clone()  # the newest computed step, and from the one before
        self.size, self.travelled, self.error = mean_abs(self.y), self.none.clone(), self.none.clone()
        self.growth = Filter(self.none, known=False)
        self.dampings = [Filter(torch.ones_like(self.none), known=True) for _ in range(2)]
        self.measured = self.none > 0  # whether a damping was
        self.missed = torch.zeros_like(self.y)  # by the prediction of the newest computed step
        self.missed_apart = torch.zeros_like(self.y)  # and of the difference
        return self.none == 0

    def _predict(self, index: int, seen: Tensor, sigma: float) -> None:
        """The outputs of all rows, should they be reused."""
        self.travelled += mean_abs(seen - self.seen)
        (x, y, d), (older_x, older_y, older_d) = self.newest, self.older
        self.sloped = self.gap > 0
        self.reach = torch.where(self.sloped, (index - self.at) / self.gap.clamp(min=1), self.none)
        a, b = (torch.where(self.measured, each.mean, self.knobs["first"]) for each in self.dampings)
        steady = (2 * a).clamp(max=1) * self.sloped
        share = self.knobs["departure"] * max(0.0, 1 - sigma) ** self.knobs["fade"] * steady
        left = (seen - x) - wide(self.reach) * (x - older_x)
        self.course = y + wide(a * self.reach) * (y - older_y) + wide(share) * left
        self.guess = self.course + wide(self.knobs["amends"] * steady * (self.gap > 1)) * self.missed
        self.y = self.guess.to(self.dtype).float()
        carried = self.knobs["carried"] * (sigma <= self.knobs["held_above"])
        self.course_apart = d + wide(carried * b * self.reach) * (d - older_d)
        more = self.knobs["apart_amends"] * (2 * b).clamp(max=1) * self.sloped * (self.gap > 1)
        self.u = self.y + self.course_apart + wide(more) * self.missed_apart

    def _decide(self, index: int, sigma: float) -> Tensor:
        """The error gate and its guards."""
        knobs, last = self.knobs, self.steps - 1
        growth = torch.where(self.growth.known, self.growth.mean, knobs["prior"])
        self.distance = (self.travelled / self.size) ** knobs["power"]
        self.error += growth * self.distance
        tolerance = 4 * knobs["threshold"] * sigma ** knobs["landing"] * (1 - sigma) ** knobs["start"]
        compute = ~(self.error < tolerance) | (~self.growth.known & (knobs["prior"] == 0))
        by_turns = self.growth.known & (sigma > knobs["turns"])
        due = (index - self.at > 1) | (compute & (knobs["asked"] > 0))
        compute = torch.where(by_turns, due, compute & (index < last - knobs["skipped"]))
        aligned = (index < ALIGNED) & ((knobs["prior"] == 0) | (index != inertial.SPARED))
        return compute | aligned | (index == last)

    def _compute(self, index: int, seen: Tensor, time: Tensor, rows: Tensor) -> None:
        """Outputs of some rows, and what they teach."""
        y, u = self._model(seen, time, rows)
        fresh, sloped, reach = [seen[rows], y, u - y], self.sloped[rows], self.reach[rows]
        missed = mean_abs(y - self.guess[rows]) / mean_abs(y) / self.distance[rows]
        self.growth.follow(rows, missed, torch.ones_like(sloped), self.knobs["growth_noise"])
        self.missed[rows] = (y - self.course[rows]) * wide(sloped)
        self.missed_apart[rows] = (u - y - self.course_apart[rows]) * wide(sloped)
        gap = index - self.at[rows]
        for kind, new in enumerate(fresh):
            slope, move = self.newest[kind][rows] - self.older[kind][rows], new - self.newest[kind][rows]
            if kind:
                best = mean_product(move, slope) / (mean_product(slope, slope) * reach).clamp(min=1e-20)
                best = best.clamp(0, dead_reckoning.MOST)
                self.dampings[kind - 1].follow(rows, best, sloped, self.knobs["damping_noise"])
            kept = wide(torch.where(sloped, self.knobs["momentum"][rows], self.none[rows])) * bool(kind)
            self.older[kind][rows] = new - (1 - kept) * move - kept * wide(reach) * slope
            self.newest[kind][rows] = new
        self.measured[rows] |= sloped
        self.at[rows], self.gap[rows], self.size[rows] = float(index), gap, mean_abs(y)
        self.travelled[rows], self.error[rows] = 0.0, 0.0
        self.y[rows], self.u[rows] = y, u
