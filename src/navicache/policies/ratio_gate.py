"""The rule EasyCache introduced and NaviCache kept: accumulate the predicted relative change, reuse below a threshold.

    E <- E + r * mean|x_i - x_(i-1)| / mean|y_j|;   reuse while E < tau;   a compute clears E
    z  = mean|y_i - y_j| / mean|x_i - x_j|          observed at every compute, j being the one before

Policies differ in how r follows z, which is the filter's business.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

from navicache.estimator import AlignmentForm, Diagonal, Gaussian, RatioFilter, align, upper_bound
from navicache.policies.guards import aligning
from navicache.policies.protocols import Measurement, Outcome, RowRule, Step, StreamRule, Verdict
from navicache.policies.verdicts import COMPUTE, REUSE, divide

Norm = Literal["mean", "sum"]
ChangeSince = Literal["seen", "computed"]
GateOn = Literal["mean", "upper_bound"]
Dimensions = Literal["scalar", "channel"]


class RatioState(NamedTuple):
    """What the gate remembers within one run."""

    beliefs: tuple[Any, ...] | None = None  # one per dimension; None before the first ratio
    observed: int = 0  # ratios so far
    gains: tuple[float, ...] = ()
    accumulated: float = 0.0
    predicted: float | None = None


@dataclass(frozen=True, kw_only=True)
class RatioGate:
    """Knobs of the rule; each policy of the family fills them in."""

    streams: StreamRule = field(default="lead", init=False)

    filter: RatioFilter[Any]
    threshold: float
    align_steps: int
    alignment: AlignmentForm = "newest"
    grow_on_reuse: bool = False  # the filter's clock also ticks on reused steps
    relative: bool = True  # divide by mean|y_j|
    norm: Norm = "mean"
    change_since: ChangeSince = "seen"
    ratio_epsilon: float = 0.0
    output_epsilon: float = 0.0
    gate_on: GateOn = "mean"
    deviations: float = 1.0
    dimensions: Dimensions = "scalar"
    rows: RowRule = "sample"

    @property
    def reads(self) -> frozenset[Measurement]:
        """The one change the rule looks at."""
        if self.dimensions == "channel":
            return frozenset({"by_channel"})
        return frozenset({"since_seen" if self.change_since == "seen" else "since_computed"})

    def init(self) -> RatioState:
        """No ratio yet."""
        return RatioState()

    def decide(self, state: RatioState, step: Step) -> tuple[Verdict, RatioState]:
        """Reuse while the accumulated error stays below the threshold."""
        changes = self._changes(step)
        if state.beliefs is None or changes is None or step.output_size is None:
            return Verdict(True, "no ratio yet"), state._replace(predicted=None)
        beliefs = state.beliefs
        if self.grow_on_reuse and not aligning(step.index, step.own_index, self.align_steps):
            beliefs = self._filters.predict(beliefs, step.progress)
        predicted = 0.0
        for belief, change in zip(beliefs, changes, strict=True):
            predicted += self._used(self.filter.ratio(belief)) * change
        predicted /= len(changes)
        if self.relative:
            predicted = divide(predicted, step.output_size + self.output_epsilon)
        elif self.norm == "sum":
            predicted *= step.elements
        accumulated = state.accumulated + predicted
        # A NaN is not below anything and computes, as in the official comparison.
        verdict = REUSE if accumulated < self.threshold else COMPUTE
        return verdict, RatioState(beliefs, state.observed, state.gains, accumulated, predicted)

    def learn(self, state: RatioState, outcome: Outcome) -> RatioState:
        """Clear the accumulated error and follow the observed ratio."""
        state = state._replace(accumulated=0.0)
        z = self._observed(outcome)
        if z is None:
            return state
        if not all(map(math.isfinite, z)):
            # Nothing changed in the input: the next step has to compute, as officially, and then begins anew.
            return RatioState()
        if state.beliefs is None or aligning(outcome.index, outcome.own_index, self.align_steps):
            beliefs, gains = align(self._filters, self.alignment, state.beliefs, state.observed, z, outcome.progress)
        else:
            grown = self.grow_on_reuse
            prior = state.beliefs if grown else self._filters.predict(state.beliefs, outcome.progress)
            beliefs, gains = self._filters.correct(prior, z, outcome.progress)
        return state._replace(beliefs=beliefs, gains=gains, observed=state.observed + 1)

    def explain(self, state: RatioState) -> Mapping[str, float]:
        """Ratio, variance and gain (means over the dimensions), and the error against its threshold."""
        shown = {"accumulated": state.accumulated, "threshold": self.threshold}
        if state.predicted is not None:
            shown["predicted_change"] = state.predicted
        if state.beliefs is not None:
            ratios = self._filters.ratios(state.beliefs)
            shown |= {"ratio": _mean([r.mean for r in ratios]), "variance": _mean([r.variance for r in ratios])}
            shown["gain"] = _mean(state.gains)
        # An output of zeros has no relative change: the step computes, and there is no number to show.
        return {name: value for name, value in shown.items() if math.isfinite(value)}

    @cached_property
    def _filters(self) -> Diagonal[Any]:
        return Diagonal(self.filter)

    def _used(self, ratio: Gaussian) -> float:
        used = ratio.mean if self.gate_on == "mean" else upper_bound(ratio, self.deviations)
        return 0.0 if used < 0 else used  # a drift may carry the estimate below what a ratio can be; NaN stays NaN

    def _changes(self, step: Step) -> tuple[float, ...] | None:
        if self.dimensions == "channel":
            return step.by_channel
        change = step.since_seen if self.change_since == "seen" else step.since_computed
        return None if change is None else (change,)

    def _observed(self, outcome: Outcome) -> tuple[float, ...] | None:
        if self.dimensions == "channel":
            inputs, outputs = outcome.input_by_channel, outcome.output_by_channel
            if inputs is None or outputs is None:
                return None
        elif outcome.input_change is None or outcome.output_change is None:
            return None
        else:
            inputs, outputs = (outcome.input_change,), (outcome.output_change,)
        return tuple(divide(dy, dx + self.ratio_epsilon) for dx, dy in zip(inputs, outputs, strict=True))


def _mean(values: tuple[float, ...] | list[float]) -> float:
    return sum(values) / len(values)
