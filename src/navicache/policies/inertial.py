"""Inertial: calibrated dead reckoning, our own policy (docs/inertial.md)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from navicache.policies.budget import Budget
from navicache.policies.checks import (
    check_align_steps,
    check_choice,
    check_flag,
    check_limit,
    check_number,
    check_threshold,
    check_whole,
)
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.error_gate import ErrorGate
from navicache.policies.guards import Finite, guarded
from navicache.policies.policy import Scheme, rows_at
from navicache.policies.protocols import Gate, RowRule
from navicache.policies.sites import SITES, SiteName, named_site

USUAL_SPEEDUP = 2.0
MOST_SPEEDUP = 1000.0
MOST_NOISE = 1e6


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
            check_number("speedup", self.speedup, 1, MOST_SPEEDUP, "1 computes every step, 2 every other")
        if self.max_error is not None:
            check_number("max_error", self.max_error, 0, 1, "0.05: reused outputs are wrong by five percent at most")
        if self.threshold is not None:
            check_threshold(self.threshold)
        check_align_steps(self.align_steps)
        for noise in ("process_noise", "measurement_noise"):
            check_number(noise, getattr(self, noise), 0, MOST_NOISE, "a variance; 0.05 is usual")
        check_flag("amends", self.amends)
        check_flag("last_step", self.last_step)
        check_limit("longest_reuse", self.longest_reuse)
        check_whole("shortest", self.shortest, 0)
        check_choice("rows", self.rows, ("sample", "call"))
        check_choice("site", self.site, SITES)

    def schemes(self) -> tuple[Scheme, ...]:
        """Dead reckoning behind the gate that the target asks for."""
        gate = guarded(
            self.gate(), align_steps=self.align_steps, last_step=self.last_step, longest_reuse=self.longest_reuse
        )
        course = DeadReckoning(self.process_noise, self.measurement_noise)
        if self.site != "model":
            scheme = Scheme(named_site(self.site), gate, course, self.last_step, shortest=self.shortest)
            return (replace(scheme, monitor=self._monitor()),)
        # amends are errors made on purpose: not where each step's own error is promised
        course = replace(course, amends=self.amends and self.max_error is None)
        scheme = Scheme("model", gate, course, self.last_step, apart=course, shortest=self.shortest)
        return (replace(scheme, monitor=self._monitor()),)

    def gate(self) -> Gate[Any]:
        """The gate without its guards, as the target asks."""
        if self.max_error is not None:
            return replace(self._errors(self.max_error), promise=True)
        if self.threshold is not None:
            return self._errors(self.threshold)
        speedup = self.speedup or USUAL_SPEEDUP
        return Budget(speedup=speedup, align_steps=self.align_steps, rows=rows_at(self.site, self.rows))

    def _monitor(self) -> Gate[Any] | None:
        """What measures errors for the trace where a schedule decides."""
        return Finite(self._errors(0.0)) if self.max_error is None and self.threshold is None else None

    def _errors(self, threshold: float) -> ErrorGate:
        return ErrorGate(
            threshold=threshold,
            process_noise=self.process_noise,
            measurement_noise=self.measurement_noise,
            rows=rows_at(self.site, self.rows),
        )
