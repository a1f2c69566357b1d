"""SeaCache (arXiv:2602.18993; diffusers, sea_cache.py): watch the low frequencies of the latent, already denoised."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from navicache.policies.cache_sites import Blocks, FilteredLatent
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_choice,
    check_integer,
    check_number,
    check_optional_count,
    check_threshold,
)
from navicache.policies.policy import Scheme
from navicache.policies.predictors import PolynomialExtrapolation, ResidualHold
from navicache.policies.protocols import Predictor
from navicache.policies.signal_gate import SignalGate

PredictorName = Literal["residual", "dead_reckoning", "taylor"]


@dataclass(frozen=True)
class SeaCache:
    """Add up the change of the low-passed latent; forecast the residual of the blocks along a line.

    The rule is in signal_gate.py, with the relative change averaged over the samples. `predictor="residual"` is
    SeaCache's prediction; the other choices use this project's predictors on the blocks' output.

    Example:
        >>> type(SeaCache(order=0).schemes()[0].predictor).__name__
        'ResidualHold'
    """

    name: ClassVar[str] = "seacache"

    threshold: float = 0.25
    order: int = 1  # of the residual or of the Taylor polynomial: 0 holds, 1 is a line
    align_steps: int = 1  # "retention"
    end_steps: int = 1  # last steps that are always computed
    longest_reuse: int | None = 2
    exponent: float = 3.0  # of the expected power spectrum of a clean video
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
        """Each guidance branch has its own decision."""
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
