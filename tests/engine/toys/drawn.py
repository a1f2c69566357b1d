"""Policies and models drawn at random, for runs nobody would write by hand."""

import math
from random import Random
from typing import Any

import torch
from tests.engine.toys.engines import Custom
from tests.engine.toys.gates import Every
from torch import Tensor

from navicache.policies import (
    DeadReckoning,
    Inertial,
    OutputHold,
    Policy,
    ResidualHold,
    PolynomialExtrapolation,
    build_policy,
)
from navicache.policies.finite_differences import FiniteDifferences

READS = (
    frozenset(),
    frozenset({"since_seen"}),
    frozenset({"since_seen", "since_computed"}),
    frozenset({"by_channel"}),
)
PREDICTORS = (
    ResidualHold(),
    OutputHold(),
    DeadReckoning(),
    DeadReckoning(amends=True),
    DeadReckoning(amends=True),
    PolynomialExtrapolation(2),
    FiniteDifferences(1),
    FiniteDifferences(2, target="residual"),
)
CHANNELS = 4


def some_policy(rng: Random, steps: int) -> Policy:
    """Any policy for the whole model, or a gate that is told its steps with any predictor."""
    return rng.choice([_ratio, _threshold, _speedup, _max_error, _rival, _fixed, _told, _told, _told])(rng, steps)


def _ratio(rng: Random, steps: int) -> Policy:
    knobs = {"threshold": rng.choice([0.02, 0.1, 0.4]), "align_steps": rng.randint(2, 4)}
    return build_policy("navicache", **knobs, rows=_rows(rng), longest_reuse=rng.choice([None, None, 2]))


def _threshold(rng: Random, steps: int) -> Policy:
    knobs = {"threshold": rng.choice([0.005, 0.05, 0.3]), "align_steps": rng.randint(2, 4)}
    return Inertial(**knobs, rows=_rows(rng), amends=rng.random() < 0.7)


def _speedup(rng: Random, steps: int) -> Policy:
    knobs = {"amends": rng.random() < 0.7, "last_step": rng.random() < 0.7}
    return Inertial(speedup=rng.choice([1.5, 2.0, 3.0]), rows=_rows(rng), **knobs)


def _max_error(rng: Random, steps: int) -> Policy:
    return Inertial(max_error=rng.choice([0.02, 0.2]), rows=_rows(rng))


def _rival(rng: Random, steps: int) -> Policy:
    knobs = {"threshold": rng.choice([0.05, 0.3]), "align_steps": rng.randint(2, 4)}
    return build_policy(rng.choice(["easycache", "ema"]), **knobs)


def _fixed(rng: Random, steps: int) -> Policy:
    if rng.random() < 0.5:
        return build_policy("random", seed=rng.randint(0, 99))
    return build_policy("static", interval=rng.randint(2, 4), align_steps=rng.randint(2, 4))


def _told(rng: Random, steps: int) -> Policy:
    computed = tuple(sorted(rng.sample(range(steps), rng.randint(2, max(2, steps // 2)))))
    gate = Every(_rows(rng), rng.choice(["lead", "lead", "lead", "each"]), rng.choice(READS), computed)
    predictor = rng.choice(PREDICTORS)
    return Custom(gate, predictor, rng.randint(2, 4), rng.random() < 0.6 and not predictor.needs_past_inputs)


def _rows(rng: Random) -> Any:
    return rng.choice(["sample", "call"])


class Broken(Exception):
    """What a model raises that was told to."""


class Toy:
    """A nonlinear model; it may want more channels or return more, a tuple or a list, and fail when it is told to."""

    def __init__(self, rng: Random, scale: float) -> None:
        self.scale = scale
        self.more_out = rng.choice([0, 0, 0, 2])
        self.more_in = 0 if self.more_out else rng.choice([0, 0, 0, 3])
        self.listed, self.wraps = rng.random() < 0.15, rng.random() < 0.3
        self.trouble = ""  # at the next call: "nan" or "inf" in its last row, or "raise"
        self.rows: list[int] = []  # of each call

    def __call__(self, x: Any, t: Tensor, text: Any) -> Any:
        self.rows.append(len(x))
        if self.trouble == "raise":
            raise Broken
        if self.listed:
            return [row[0] for row in self._each(torch.stack(x), t, torch.stack(text)).split(1)]
        y = self._each(x, t, text)
        return (y,) if self.wraps else y

    def _each(self, x: Tensor, t: Tensor, text: Tensor) -> Tensor:
        x, time, text = x[:, :CHANNELS], t.reshape(-1, 1, 1, 1), text.reshape(-1, 1, 1, 1)
        y = self.scale * (torch.sin(1.3 * x + 0.002 * time) + text * torch.cos(x - 0.001 * time))
        if self.trouble:
            y[-1] = {"nan": math.nan, "inf": math.inf}[self.trouble]
        return torch.cat([y, 2 * y[:, : self.more_out]], 1)
