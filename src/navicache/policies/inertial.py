"""Inertial: calibrated dead reckoning, our own policy (docs/inertial.md)."""

from dataclasses import dataclass
from typing import ClassVar

from navicache.policies.checks import (
    check_align_steps,
    check_choice,
    check_longest_reuse,
    check_number,
    check_threshold,
)
from navicache.policies.dead_reckoning import DeadReckoning
from navicache.policies.error_gate import ErrorGate
from navicache.policies.guards import guarded
from navicache.policies.policy import Scheme
from navicache.policies.protocols import RowRule


@dataclass(frozen=True)
class Inertial:
    """Predict along the measured course, and compute where the measured error would grow too large.

    Example:
        >>> Inertial(threshold=0.1).schemes()[0].predictor.order
        2
    """

    name: ClassVar[str] = "inertial"

    threshold: float = 0.1
    align_steps: int = 5
    tighten: float = 0.8  # how much less error is tolerated at full noise
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    by_channel: bool = False
    curved: bool = False
    last_step: bool = True
    longest_reuse: int | None = None
    rows: RowRule = "sample"

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        check_align_steps(self.align_steps)
        check_number("tighten", self.tighten, 0, 1, "0 tolerates the same error throughout")
        check_longest_reuse(self.longest_reuse)
        check_choice("rows", self.rows, ("sample", "call"))

    def schemes(self) -> tuple[Scheme, ...]:
        """Dead reckoning behind the error gate."""
        gate = guarded(
            ErrorGate(
                threshold=self.threshold,
                tighten=self.tighten,
                process_noise=self.process_noise,
                measurement_noise=self.measurement_noise,
                rows=self.rows,
            ),
            align_steps=self.align_steps,
            last_step=self.last_step,
            longest_reuse=self.longest_reuse,
        )
        return (Scheme("model", gate, DeadReckoning(by_channel=self.by_channel, curved=self.curved), self.last_step),)
