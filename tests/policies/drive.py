"""A policy driven by arrays: measures as the engine does and hands over floats only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from navicache.policies import Outcome, Policy, Step


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


def drive(
    policy: Policy,
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
    policy: Policy,
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
    seen, output, x_seen, kept, computed_at = Seen(), None, None, None, None
    told = total if tell_total else None
    by_channel = "by_channel" in gate.reads
    for i in range(total):
        x = input_at(i, output)
        gap = 0 if computed_at is None else i - computed_at
        step = step_filter(_step(i, told, x, x_seen, kept, gap, by_channel))
        verdict, state = gate.decide(state, step)
        seen.decided.append(gate.explain(state))
        guess = None if kept is None else _apply(predictor.weights(memory, step), x, kept)
        if verdict.compute:
            output = network(i, x)
            outcome = outcome_filter(_outcome(i, told, x, output, kept, guess, gap, by_channel))
            state, memory = gate.learn(state, outcome), predictor.learn(memory, outcome)
            kept, computed_at = (x, output), i
        else:
            output = guess
        x_seen = x
        seen.computed.append(verdict.compute)
        seen.reasons.append(verdict.reason)
        seen.after.append(gate.explain(state))
        seen.inputs.append(x)
        seen.returned.append(output)
    return seen


def _step(i: int, total: int | None, x: Any, x_seen: Any, kept: Any, gap: int, by_channel: bool) -> Step:
    known: dict[str, Any] = {}
    if x_seen is not None:
        known["since_seen"] = size(x - x_seen)
        if by_channel:
            known["by_channel"] = sizes(x - x_seen)
    if kept is not None:
        known |= {"since_computed": size(x - kept[0]), "output_size": size(kept[1])}
    return Step(index=i, own_index=i, total=total, elements=x.size, gap=gap, **known)


def _outcome(i: int, total: int | None, x: Any, y: Any, kept: Any, guess: Any, gap: int, by_channel: bool) -> Outcome:
    known: dict[str, Any] = {}
    if kept is not None:
        dx, dy = x - kept[0], y - kept[1]
        known = {"input_change": size(dx), "output_change": size(dy)}
        known["prediction_error"] = size(y - guess) / size(y) if size(y) else None
        if by_channel:
            known |= {"input_by_channel": sizes(dx), "output_by_channel": sizes(dy)}
    return Outcome(index=i, own_index=i, total=total, gap=gap, output_size=size(y), **known)


def _apply(weights: Any, x: Any, kept: Any) -> Any:
    ((of_x, of_y),) = weights.references
    return weights.input * x + of_x * kept[0] + of_y * kept[1]


def size(u: Any) -> float:
    return float(np.add.reduce(np.abs(u), axis=None) / u.size)


def sizes(u: Any) -> tuple[float, ...]:
    others = tuple(axis for axis in range(u.ndim) if axis != u.ndim - 2)
    return tuple(np.abs(u).mean(axis=others).tolist())
