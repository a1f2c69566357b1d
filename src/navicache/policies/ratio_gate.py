"""The rule EasyCache introduced and NaviCache kept: accumulate the predicted relative change, reuse below a threshold.

    E <- E + r * mean|x_i - x_(i-1)| / mean|y_j|;   reuse while E < tau;   a compute clears E
    z  = mean|y_i - y_j| / mean|x_i - x_j|          observed at every compute, j being the one before

Policies differ in the filter by which r follows z.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from navicache.estimator import AlignmentForm, DiagonalFilter, Gaussian, RatioFilter, align_beliefs, compute_upper_bound
from navicache.policies.decisions import GATE_COMPUTE, GATE_REUSE, divide_ieee
from navicache.policies.guards import is_aligning
from navicache.policies.protocols import Decision, Measurement, Outcome, RowRule, Step, StreamRule

ErrorNorm = Literal["mean", "sum"]
ChangeSince = Literal["seen", "computed"]
GateOn = Literal["mean", "upper_bound"]
Dimensions = Literal["scalar", "channel"]


class RatioGateState(NamedTuple):
    """State of the gate during one run."""

    beliefs: tuple[Any, ...] | None = None  # one per dimension; None before the first ratio
    ratio_count: int = 0  # ratios so far
    gains: tuple[float, ...] = ()
    accumulated_error: float = 0.0
    predicted_change: float | None = None


@dataclass(frozen=True, kw_only=True)
class RatioGate:
    """Knobs of the rule; each policy of the family fills them in."""

    streams: StreamRule = field(default="lead", init=False)

    ratio_filter: RatioFilter[Any]
    threshold: float
    align_steps: int
    alignment: AlignmentForm = "newest"
    grow_on_reuse: bool = False  # the filter also predicts on reused steps
    relative: bool = True  # divide by mean|y_j|
    norm: ErrorNorm = "mean"
    change_since: ChangeSince = "seen"
    ratio_epsilon: float = 0.0
    output_epsilon: float = 0.0
    gate_on: GateOn = "mean"
    deviations: float = 1.0
    dimensions: Dimensions = "scalar"
    rows: RowRule = "sample"

    @property
    def reads(self) -> frozenset[Measurement]:
        """The change that the rule uses."""
        if self.dimensions == "channel":
            return frozenset({"by_channel"})
        return frozenset({"since_seen" if self.change_since == "seen" else "since_computed"})

    def init(self) -> RatioGateState:
        """Return the state without a ratio."""
        return RatioGateState()

    def decide(self, state: RatioGateState, step: Step) -> tuple[Decision, RatioGateState]:
        """Reuse while the accumulated error stays below the threshold."""
        changes = self._get_input_changes(step)
        if state.beliefs is None or changes is None or step.output_magnitude is None:
            return Decision(True, "no ratio yet"), state._replace(predicted_change=None)
        beliefs = state.beliefs
        if self.grow_on_reuse and not is_aligning(step, self.align_steps):
            beliefs = self._diagonal_filter.predict(beliefs, step.progress)
        predicted = 0.0
        for belief, change in zip(beliefs, changes, strict=True):
            predicted += self._choose_ratio(self.ratio_filter.extract_ratio(belief)) * change
        predicted /= len(changes)
        if self.relative:
            predicted = divide_ieee(predicted, step.output_magnitude + self.output_epsilon)
        elif self.norm == "sum":
            predicted *= step.elements
        accumulated = state.accumulated_error + predicted
        # A NaN is not below anything and computes, as in the official comparison.
        decision = GATE_REUSE if accumulated < self.threshold else GATE_COMPUTE
        return decision, RatioGateState(beliefs, state.ratio_count, state.gains, accumulated, predicted)

    def learn(self, state: RatioGateState, outcome: Outcome) -> RatioGateState:
        """Clear the accumulated error and track the observed ratio."""
        state = state._replace(accumulated_error=0.0)
        z = self._measure_ratios(outcome)
        if z is None:
            return state
        if not all(map(math.isfinite, z)):
            # Nothing changed in the input: the next step is computed, as in the official code, and the filter restarts.
            return RatioGateState()
        if state.beliefs is None or is_aligning(outcome, self.align_steps):
            beliefs, gains = align_beliefs(
                self._diagonal_filter, self.alignment, state.beliefs, state.ratio_count, z, outcome.progress
            )
        else:
            grown = self.grow_on_reuse
            prior = state.beliefs if grown else self._diagonal_filter.predict(state.beliefs, outcome.progress)
            beliefs, gains = self._diagonal_filter.correct(prior, z, outcome.progress)
        return state._replace(beliefs=beliefs, gains=gains, ratio_count=state.ratio_count + 1)

    def explain(self, state: RatioGateState) -> Mapping[str, float]:
        """Ratio, variance and gain (means over the dimensions), the accumulated error and its threshold."""
        shown = {"accumulated": state.accumulated_error, "threshold": self.threshold}
        if state.predicted_change is not None:
            shown["predicted_change"] = state.predicted_change
        if state.beliefs is not None:
            ratios = self._diagonal_filter.extract_ratios(state.beliefs)
            shown |= {
                "ratio": _compute_mean([r.mean for r in ratios]),
                "variance": _compute_mean([r.variance for r in ratios]),
            }
            shown["gain"] = _compute_mean(state.gains)
        # An output of zeros has no relative change: the step is computed, and there is no number to show.
        return {name: value for name, value in shown.items() if math.isfinite(value)}

    @cached_property
    def _diagonal_filter(self) -> DiagonalFilter[Any]:
        return DiagonalFilter(self.ratio_filter)

    def _choose_ratio(self, belief: Gaussian) -> float:
        ratio = belief.mean if self.gate_on == "mean" else compute_upper_bound(belief, self.deviations)
        return 0.0 if ratio < 0 else ratio  # a drift can push the estimate below zero; NaN stays NaN

    def _get_input_changes(self, step: Step) -> tuple[float, ...] | None:
        if self.dimensions == "channel":
            return step.by_channel
        change = step.since_seen if self.change_since == "seen" else step.since_computed
        return None if change is None else (change,)

    def _measure_ratios(self, outcome: Outcome) -> tuple[float, ...] | None:
        if self.dimensions == "channel":
            inputs, outputs = outcome.input_by_channel, outcome.output_by_channel
            if inputs is None or outputs is None:
                return None
        elif outcome.input_change is None or outcome.output_change is None:
            return None
        else:
            inputs, outputs = (outcome.input_change,), (outcome.output_change,)
        return tuple(divide_ieee(dy, dx + self.ratio_epsilon) for dx, dy in zip(inputs, outputs, strict=True))


def _compute_mean(values: tuple[float, ...] | list[float]) -> float:
    return sum(values) / len(values)
