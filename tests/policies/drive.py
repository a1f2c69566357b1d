"""A policy driven by arrays: measures as the engine does and hands over floats only."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from navicache.policies import Outcome, PredictionWeights, Scheme, Step


class Kept(NamedTuple):
    """A computed step that may be looked back on."""

    index: int
    x: Any
    y: Any


@dataclass
class Seen:
    """What a policy did at each step."""

    computed: list[bool] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    decided: list[Mapping[str, float]] = field(default_factory=list)  # explain() right after the decision
    after: list[Mapping[str, float]] = field(default_factory=list)  # explain() at the end of the step
    inputs: list[Any] = field(default_factory=list)
    returned: list[Any] = field(default_factory=list)

    @property
    def marks(self) -> str:
        """One letter a step: C computed, r reused."""
        return "".join("C" if c else "r" for c in self.computed)


@dataclass(frozen=True)
class Single:
    """One scheme of a policy that may have several."""

    scheme: Scheme

    def schemes(self) -> tuple[Scheme, ...]:
        return (self.scheme,)


class Schemes(Protocol):
    """All that is driven of a policy."""

    def schemes(self) -> tuple[Scheme, ...]: ...


def drive(
    policy: Schemes,
    video: Any,
    *,
    tell_total: bool = True,
    step_filter: Callable[[Step], Step] = lambda step: step,
    outcome_filter: Callable[[Outcome], Outcome] = lambda outcome: outcome,
) -> Seen:
    """Feed (x, y) arrays, y being the true output; channels are the last axis but one."""
    return drive_loop(
        policy,
        len(video),
        lambda i, _: video[i][0],
        lambda i, _: video[i][1],
        tell_total=tell_total,
        step_filter=step_filter,
        outcome_filter=outcome_filter,
    )


def drive_loop(
    policy: Schemes,
    total: int,
    input_at: Callable[[int, Any], Any],
    network: Callable[[int, Any], Any],
    *,
    tell_total: bool = True,
    step_filter: Callable[[Step], Step] = lambda step: step,
    outcome_filter: Callable[[Outcome], Outcome] = lambda outcome: outcome,
) -> Seen:
    """Run `total` steps; `input_at(i, output)` makes the next input from what the step before returned."""
    (scheme,) = policy.schemes()
    gate, predictor = scheme.gate, scheme.predictor
    state, memory = gate.init(), predictor.init()
    seen, output, x_seen = Seen(), None, None
    kept: list[Kept] = []
    told = total if tell_total else None
    by_channel = "by_channel" in gate.reads
    for i in range(total):
        x = input_at(i, output)
        step = _step(i, told, x, x_seen, kept, by_channel)._replace(time=1000.0 * (1 - i / total))
        if scheme.signal != "input":  # the input stands for whatever signal it is
            step = step._replace(**_sizes(step, x_seen, kept))
        step = step_filter(step)
        decision, state = gate.decide(state, step)
        seen.decided.append(gate.explain(state))
        guess = apply(predictor.weights(memory, step), x, kept) if kept else None
        if decision.compute:
            output = network(i, x)
            known = _products(output, kept, predictor.needs_inner_products)
            measured = _outcome(i, told, x, output, kept, guess, by_channel)
            outcome = outcome_filter(measured._replace(inner_products=known))
            state, memory = gate.learn(state, outcome), predictor.learn(memory, outcome)
            kept = [Kept(i, x, output), *kept][: predictor.history_length]
        else:
            output = guess
        x_seen = x
        seen.computed.append(decision.compute)
        seen.reasons.append(decision.reason)
        seen.after.append(gate.explain(state))
        seen.inputs.append(x)
        seen.returned.append(output)
    return seen


def _step(i: int, total: int | None, x: Any, x_seen: Any, kept: list[Kept], by_channel: bool) -> Step:
    known: dict[str, Any] = {}
    if x_seen is not None:
        known["since_seen"] = size(x - x_seen)
        if by_channel:
            known["by_channel"] = sizes(x - x_seen)
    if kept:
        known |= {"since_computed": size(x - kept[0].x), "output_magnitude": size(kept[0].y)}
    gaps = _gaps(i, kept)
    return Step(index=i, local_index=i, total=total, elements=x.size, gap=gaps[0] if gaps else 0, gaps=gaps, **known)


def _sizes(step: Step, x_seen: Any, kept: list[Kept]) -> dict[str, float]:
    """What a signal of its own is measured by, beside its changes."""
    sizes: dict[str, float] = {}
    if step.since_seen is not None:
        sizes |= {"seen_magnitude": size(x_seen), "relative_change": step.since_seen / size(x_seen)}
    return sizes | ({"computed_magnitude": size(kept[0].x)} if kept else {})


def _outcome(i: int, total: int | None, x: Any, y: Any, kept: list[Kept], guess: Any, by_channel: bool) -> Outcome:
    known: dict[str, Any] = {}
    if kept:
        dx, dy = x - kept[0].x, y - kept[0].y
        known = {"input_change": size(dx), "output_change": size(dy)}
        known["prediction_error"] = size(y - guess) / size(y) if size(y) else None
        if by_channel:
            known |= {"input_by_channel": sizes(dx), "output_by_channel": sizes(dy)}
    gaps = _gaps(i, kept)
    gap = gaps[0] if gaps else 0
    return Outcome(index=i, local_index=i, total=total, gap=gap, output_magnitude=size(y), gaps=gaps, **known)


def _gaps(i: int, kept: list[Kept]) -> tuple[int, ...]:
    steps = [i, *(old.index for old in kept)]
    return tuple(later - earlier for later, earlier in pairwise(steps))


def _products(y: Any, kept: list[Kept], wanted: bool) -> Any:
    """Mean products of the moves between outputs, two of them at least."""
    if not wanted or len(kept) < 2:
        return None
    outputs = [y, *(old.y for old in kept)]
    moves = [later - earlier for later, earlier in pairwise(outputs)]
    return tuple(tuple(float((a * b).mean()) for b in moves) for a in moves)


def apply(weights: PredictionWeights, x: Any, kept: Sequence[Kept]) -> Any:
    """The weighted sum; nothing is made up for."""
    total = weights.input * x
    for (of_x, of_y), old in zip(weights.references, kept, strict=False):
        total = total + of_x * old.x + of_y * old.y
    return total


def size(u: Any) -> float:
    return float(np.add.reduce(np.abs(u), axis=None) / u.size)


def sizes(u: Any) -> tuple[float, ...]:
    return means(np.abs(u))


def means(u: Any) -> tuple[float, ...]:
    others = tuple(axis for axis in range(u.ndim) if axis != u.ndim - 2)
    return tuple(u.mean(axis=others).tolist())
