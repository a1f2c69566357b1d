"""SeaCache (arXiv:2602.18993; diffusers, sea_cache.py): watch the latent where it should be clean by now."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from navicache.policies.knob_checks import (
    check_align_steps,
    check_choice,
    check_optional_count,
    check_number,
    check_threshold,
    check_integer,
)
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.guards import add_guards
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold, PolynomialExtrapolation
from navicache.policies.protocols import Predictor
from navicache.policies.signal_gate import SignalGate
from navicache.policies.cache_sites import Blocks, FilteredLatent

PredictorName = Literal["residual", "dead_reckoning", "taylor"]


@dataclass(frozen=True)
class SeaCache:
    """The filtered latent's change is added up; the blocks' residual is carried on along a line.

    The rule is signal_gate.py with the signal's own change, sample by sample. With `predictor="residual"` the reuse is
    SeaCache's own; the others put our predictors behind its gate, on the blocks' output.

    Example:
        >>> SeaCache(order=0).schemes()[0].predictor
        ResidualHold(order=1, products=False, keeps_inputs=False, keeps_missed=False)
    """

    name: ClassVar[str] = "seacache"

    threshold: float = 0.25
    order: int = 1  # of the residual or of the Taylor polynomial: 0 holds, 1 is a line
    align_steps: int = 1  # "retention"
    end_steps: int = 1  # that always compute, at the end
    longest_reuse: int | None = 2
    exponent: float = 3.0  # of the power spectrum that a clean video is expected to have
    predictor: PredictorName = "residual"

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        check_integer("order", self.order, 0)
        check_align_steps(self.align_steps, minimum=1)
        check_integer("end_steps", self.end_steps, 0)
        check_optional_count("longest_reuse", self.longest_reuse)
        check_number("exponent", self.exponent, 0, 10, "3 for video")
        check_choice("predictor", self.predictor, ("residual", "dead_reckoning", "taylor"))

    def schemes(self) -> tuple[Scheme, ...]:
        """Each guidance branch decides for itself."""
        gate = add_guards(
            SignalGate(threshold=self.threshold, averages_row_changes=True),
            align_steps=self.align_steps,
            last_step=self.end_steps > 0,
            end_steps=self.end_steps,
            longest_reuse=self.longest_reuse,
        )
        signal = FilteredLatent(self.exponent)
        return (Scheme(Blocks(), gate, self._build_predictor(), self.end_steps > 0, None, signal),)

    def _build_predictor(self) -> Predictor[Any]:
        if self.predictor == "dead_reckoning":
            return DeadReckoning()
        if self.predictor == "taylor":
            return PolynomialExtrapolation(self.order)
        return FiniteDifferences(self.order, target="residual") if self.order else ResidualHold()
