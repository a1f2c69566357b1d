"""Inertial: calibrated dead reckoning, our own policy (docs/inertial.md)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from navicache.policies.checks import (
    check_align_steps,
    check_choice,
    check_longest_reuse,
    check_number,
    check_threshold,
    check_whole,
)
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.error_gate import ErrorGate
from navicache.policies.guards import guarded
from navicache.policies.pace import Pace
from navicache.policies.policy import Scheme, rows_at
from navicache.policies.protocols import Gate, RowRule
from navicache.policies.sites import SITES, SiteName, named_site

USUAL_THRESHOLD = 0.1  # where a speed-up is asked for but the number of steps is unknown
USUAL_SPEEDUP = 2.0
MOST_SPEEDUP = 1000.0
# The second step is spared where its error, growing so fast, would be tolerated. Errors grow faster at first (by 2 to
# 3.6 on the embedded model), but the third step is computed anyway, and what lasts a single step is worth less.
# Only from a threshold on at which little is computed elsewhere either: below, it costs far more than it saves.
SPARED, PRIOR, LOOSE = 1, 0.8, 0.35
# From here on the gate is sparse. Gaps are long then, and over them the branches' difference does not go as far as its
# slope: of the shares 1 and 0.85 the second was better by a tenth of a decibel or two.
SPARSE, CARRIED = 0.5, 0.85


@dataclass(frozen=True)
class Inertial:
    """Predict along the measured course, and compute where the measured error would grow too large.

    One of three targets: a speed-up, an error no reused step should exceed, or the threshold of the accumulated error.
    Without any the speed-up is 2.

    Example:
        >>> Inertial(speedup=2.5).schemes()[0].predictor.order
        2
    """

    name: ClassVar[str] = "inertial"

    speedup: float | None = None  # computed steps are the run's steps over this
    max_error: float | None = None  # relative error of the output, of each reused step
    threshold: float | None = None  # tau
    align_steps: int = 3
    spare: bool = True  # a loose threshold may spare the second of them, and a looser one is sparse at both ends
    tighten: float = 1.0  # how much less accumulated error is tolerated at full noise
    landing: bool = True  # and at none
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    caution: float = 1.3  # deviations of the error growth that `max_error` keeps away
    by_channel: bool = False
    curved: bool = False
    horizon: int | None = None  # a slope fades over so many steps; None: it is carried on as far as it is needed
    departure: bool = True  # the output goes along where the input leaves its straight course, at site "model"
    apart: bool = True  # the difference between guidance branches has a damping of its own, at site "model"
    amends: float = 0.5  # share of a prediction's miss that the next ones make up for, where `apart`
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
        check_number("tighten", self.tighten, 0, 1, "0 tolerates the same error throughout")
        check_number("amends", self.amends, 0, 1, "0.5 makes up for what the predictions before were off by in all")
        check_longest_reuse(self.longest_reuse)
        check_whole("shortest", self.shortest, 0)
        if self.horizon is not None:
            check_whole("horizon", self.horizon, 1)
        check_choice("rows", self.rows, ("sample", "call"))
        check_choice("site", self.site, SITES)

    def schemes(self) -> tuple[Scheme, ...]:
        """Dead reckoning behind the error gate."""
        gate = guarded(
            self.gate(),
            align_steps=self.align_steps,
            last_step=self.last_step,
            longest_reuse=self.longest_reuse,
            spared=SPARED if self._spares else None,
        )
        course = DeadReckoning(self.process_noise, self.measurement_noise, self.by_channel, self.curved, self.horizon)
        if self.site != "model":
            return (Scheme(named_site(self.site), gate, course, self.last_step, shortest=self.shortest),)
        # amends are errors made on purpose: not where each step's own error is promised
        lead = replace(course, departure=self.departure, amends=self.amends if self.max_error is None else 0.0)
        apart = replace(course, carried=CARRIED if self._sparse else 1.0) if self.apart else None
        return (Scheme("model", gate, lead, self.last_step, apart=apart, shortest=self.shortest),)

    def gate(self) -> Gate[Any]:
        """The gate without its guards, as the target asks."""
        if self.max_error is not None:
            return replace(
                self._errors(self.max_error), tighten=0.0, landing=False, accumulate=False, caution=self.caution
            )
        if self.threshold is not None:
            return replace(self._errors(self.threshold), prior=PRIOR if self._spares else None, sparse=self._sparse)
        return Pace(self._errors(USUAL_THRESHOLD), self.speedup or USUAL_SPEEDUP, self.align_steps)

    @property
    def _spares(self) -> bool:
        loose = self.threshold is not None and self.threshold >= LOOSE
        return self.spare and loose and self.site == "model" and self.align_steps > SPARED + 1

    @property
    def _sparse(self) -> bool:
        return self._spares and self.last_step and (self.threshold or 0.0) >= SPARSE

    def _errors(self, threshold: float) -> ErrorGate:
        return ErrorGate(
            threshold=threshold,
            tighten=self.tighten,
            landing=self.landing,
            process_noise=self.process_noise,
            measurement_noise=self.measurement_noise,
            rows=rows_at(self.site, self.rows),
        )
