"""Inertial: calibrated dead reckoning, our own policy (docs/inertial.md)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from navicache.policies.budget import BudgetGate
from navicache.policies.knob_checks import (
    check_align_steps,
    check_choice,
    check_bool,
    check_optional_count,
    check_number,
    check_threshold,
    check_integer,
)
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.error_gate import ErrorGate
from navicache.policies.guards import add_guards
from navicache.policies.policy import Scheme, resolve_row_rule
from navicache.policies.protocols import Gate, RowRule
from navicache.policies.cache_sites import SITE_NAMES, SiteName, resolve_site

DEFAULT_SPEEDUP = 2.0
MAX_SPEEDUP = 1000.0
MAX_NOISE = 1e6


@dataclass(frozen=True)
class Inertial:
    """Predict along the measured course; compute on a schedule, or where the measured error would grow too large.

    One of three targets: a speed-up, an error no reused step should exceed, or a threshold of how far a stretch of
    reuses may take the latent off its course. Without any the speed-up is 2.

    Example:
        >>> Inertial(speedup=2.5).schemes()[0].predictor.order
        2
    """

    name: ClassVar[str] = "inertial"

    speedup: float | None = None  # computed steps are the run's steps over this
    max_error: float | None = None  # relative error of the output, of each reused step
    threshold: float | None = None  # tau
    align_steps: int = 3
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    amends: bool = True  # the next predictions make up for what those before missed by, at site "model"
    last_step: bool = True
    longest_reuse: int | None = None
    shortest: int = 0  # runs of fewer steps are left alone
    rows: RowRule = "sample"  # at site "blocks" always "call"
    site: SiteName = "model"

    def __post_init__(self) -> None:
        """Check the knobs."""
        given = [name for name in ("speedup", "max_error", "threshold") if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are targets of the same thing: give one of them")
        if self.speedup is not None:
            check_number("speedup", self.speedup, 1, MAX_SPEEDUP, "1 computes every step, 2 every other")
        if self.max_error is not None:
            check_number("max_error", self.max_error, 0, 1, "0.05: reused outputs are wrong by five percent at most")
        if self.threshold is not None:
            check_threshold(self.threshold)
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
        """Dead reckoning behind the gate that the target asks for."""
        gate = add_guards(
            self.build_gate(), align_steps=self.align_steps, last_step=self.last_step, longest_reuse=self.longest_reuse
        )
        course = DeadReckoning(self.process_noise, self.measurement_noise)
        if self.site != "model":
            return (Scheme(resolve_site(self.site), gate, course, self.last_step, min_total_steps=self.shortest),)
        # amends are errors made on purpose: not where each step's own error is promised
        course = replace(course, amends=self.amends and self.max_error is None)
        return (
            Scheme("model", gate, course, self.last_step, difference_predictor=course, min_total_steps=self.shortest),
        )

    def build_gate(self) -> Gate[Any]:
        """The gate without its guards, as the target asks."""
        if self.max_error is not None:
            return replace(self._build_error_gate(self.max_error), promise=True)
        if self.threshold is not None:
            return self._build_error_gate(self.threshold)
        return BudgetGate(self._build_error_gate(0.0), self.speedup or DEFAULT_SPEEDUP, self.align_steps)

    def _build_error_gate(self, threshold: float) -> ErrorGate:
        return ErrorGate(
            threshold=threshold,
            process_noise=self.process_noise,
            measurement_noise=self.measurement_noise,
            rows=resolve_row_rule(self.site, self.rows),
        )
