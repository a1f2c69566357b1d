"""SeaCache (arXiv:2602.18993; diffusers, sea_cache.py): watch the latent where it should be clean by now."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from navicache.policies.checks import (
    check_align_steps,
    check_choice,
    check_limit,
    check_number,
    check_threshold,
    check_whole,
)
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.differences import Differences
from navicache.policies.guards import guarded
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold, Taylor
from navicache.policies.protocols import Predictor
from navicache.policies.signal_gate import SignalGate
from navicache.policies.sites import Blocks, FilteredLatent

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
        check_whole("order", self.order, 0)
        check_align_steps(self.align_steps, at_least=1)
        check_whole("end_steps", self.end_steps, 0)
        check_limit("longest_reuse", self.longest_reuse)
        check_number("exponent", self.exponent, 0, 10, "3 for video")
        check_choice("predictor", self.predictor, ("residual", "dead_reckoning", "taylor"))

    def schemes(self) -> tuple[Scheme, ...]:
        """Each guidance branch decides for itself."""
        gate = guarded(
            SignalGate(threshold=self.threshold, by_row=True),
            align_steps=self.align_steps,
            last_step=self.end_steps > 0,
            end_steps=self.end_steps,
            longest_reuse=self.longest_reuse,
        )
        signal = FilteredLatent(self.exponent)
        return (Scheme(Blocks(), gate, self._predictor(), self.end_steps > 0, None, signal),)

    def _predictor(self) -> Predictor[Any]:
        if self.predictor == "dead_reckoning":
            return DeadReckoning()
        if self.predictor == "taylor":
            return Taylor(self.order)
        return Differences(self.order, of="residual") if self.order else ResidualHold()
