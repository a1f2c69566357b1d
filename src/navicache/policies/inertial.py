"""Inertial: calibrated dead reckoning, this project's policy (docs/inertial.md)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from navicache.policies.budget import BudgetGate
from navicache.policies.cache_sites import SITE_NAMES, SiteName, resolve_site
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.error_gate import ErrorGate
from navicache.policies.guards import FiniteGuard, add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_bool,
    check_choice,
    check_integer,
    check_number,
    check_optional_count,
    check_threshold,
)
from navicache.policies.policy import Scheme, resolve_row_rule
from navicache.policies.protocols import Gate, RowRule

DEFAULT_SPEEDUP = 2.0
FEWEST_STEPS = 8  # of a run that `shortest` still lets reuse some
MAX_SPEEDUP = 1000.0
MAX_NOISE = 1e6
THRESHOLD_ALIGN_STEPS = 3  # two give a line, the third its first error


@dataclass(frozen=True)
class Inertial:
    """Predict the output along a damped line; compute on a schedule, or when the predicted error is too large.

    Set one of three targets: a speed-up, a maximum error of each reused step, or a threshold for the accumulated
    error of consecutive reuses. Without a target the speed-up is 2.

    Example:
        >>> Inertial(speedup=2.5).schemes()[0].predictor.history_length
        2
    """

    name: ClassVar[str] = "inertial"

    speedup: float | None = None  # steps of the run per computed step
    max_error: float | None = None  # largest relative output error of each reused step
    threshold: float | None = None  # tau
    align_steps: int | None = None  # computed at the start; None: by the budget, 3 with a threshold
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    amends: bool = True  # correct the next predictions by the last prediction error; only at site "model"
    last_step: bool = True
    longest_reuse: int | None = None
    shortest: int = 0  # a speed-up's runs with fewer steps reuse one in four at most, and below 8 none
    rows: RowRule = "sample"  # at site "blocks" always "call"
    site: SiteName = "model"

    def __post_init__(self) -> None:
        """Check the knobs."""
        given = [name for name in ("speedup", "max_error", "threshold") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other: give one of them")
        if self.speedup is not None:
            check_number("speedup", self.speedup, 1, MAX_SPEEDUP, "1 computes every step, 2 every other")
        if self.max_error is not None:
            check_number("max_error", self.max_error, 0, 1, "0.05: reused outputs are wrong by five percent at most")
        if self.threshold is not None:
            check_threshold(self.threshold)
        if self.align_steps is not None:
            check_align_steps(self.align_steps)
        for noise in ("process_noise", "measurement_noise"):
            check_number(noise, getattr(self, noise), 0, MAX_NOISE, "a variance; 0.05 is usual")
        check_bool("amends", self.amends)
        check_bool("last_step", self.last_step)
        check_optional_count("longest_reuse", self.longest_reuse)
        check_integer("shortest", self.shortest, 0)
        check_choice("rows", self.rows, ("sample", "call"))
        check_choice("site", self.site, SITE_NAMES)

    def schemes(self) -> tuple[Scheme, ...]:
        """Dead reckoning with the gate of the target."""
        gate = add_guards(
            self.build_gate(),
            align_steps=self.align_steps or (1 if self.has_schedule else THRESHOLD_ALIGN_STEPS),
            last_step=self.last_step,
            longest_reuse=self.longest_reuse,
        )
        line = DeadReckoning(self.process_noise, self.measurement_noise)
        if self.has_schedule:  # it may reuse before three steps are computed; a line through two can fail there
            line = replace(line, initial_damping=0.0)
        if self.site != "model":
            scheme = Scheme(resolve_site(self.site), gate, line, self.last_step)
            return (self._complete_scheme(scheme),)
        # Corrections add an error to single steps, so they are off when `max_error` bounds each step.
        line = replace(line, amends=self.amends and self.max_error is None)
        return (self._complete_scheme(Scheme("model", gate, line, self.last_step, difference_predictor=line)),)

    @property
    def has_schedule(self) -> bool:
        """Whether the target is a speed-up."""
        return self.max_error is None and self.threshold is None

    def build_gate(self) -> Gate[Any]:
        """Build the gate of the target, without guards."""
        if self.max_error is not None:
            return replace(self._build_error_gate(self.max_error), bounds_each_step=True)
        if self.threshold is not None:
            return self._build_error_gate(self.threshold)
        speedup = self.speedup or DEFAULT_SPEEDUP
        rows = resolve_row_rule(self.site, self.rows)
        return BudgetGate(speedup=speedup, align_steps=self.align_steps, few_steps_below=self.shortest, rows=rows)

    def _complete_scheme(self, scheme: Scheme) -> Scheme:
        """Add the rules for short runs, and the gate that estimates errors for the trace if a schedule decides."""
        if not self.has_schedule:
            return replace(scheme, min_total_steps=self.shortest, bounds_outputs=self.max_error is not None)
        monitor, fewest = FiniteGuard(self._build_error_gate(0.0)), min(self.shortest, FEWEST_STEPS)
        return replace(scheme, monitor=monitor, min_total_steps=fewest, few_steps_below=self.shortest)

    def _build_error_gate(self, threshold: float) -> ErrorGate:
        return ErrorGate(
            threshold=threshold,
            process_noise=self.process_noise,
            measurement_noise=self.measurement_noise,
            rows=resolve_row_rule(self.site, self.rows),
        )
