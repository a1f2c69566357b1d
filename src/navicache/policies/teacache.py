"""TeaCache (arXiv:2411.19108, CVPR 2025; scripts TeaCache4Wan2.1 and its siblings)."""

from dataclasses import dataclass
from typing import ClassVar

from navicache.policies.knob_checks import (
    check_align_steps,
    check_choice,
    check_polynomial_coefficients,
    check_bool,
    check_threshold,
)
from navicache.policies.guards import add_guards
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.signal_gate import IDENTITY_COEFFICIENTS, SignalGate
from navicache.policies.cache_sites import Blocks, TeaCacheSignal

TEACACHE_SIGNALS = ("modulated", "time", "time_projection")


@dataclass(frozen=True)
class TeaCache:
    """The change of what enters the blocks, made the output's by a polynomial that was fitted once per model.

    The rule is signal_gate.py. Scripts differ in which steps always compute: the first and the last (Wan 2.1,
    HunyuanVideo, CogVideoX, FLUX, LTX, Mochi, Open-Sora); the first five and not the last (Wan 2.1 with
    `use_ret_steps`: `align_steps=5, last_step=False, signal="time_projection"` and coefficients of its own).
    Without coefficients the signal's own change counts, as if p(d) = d.

    Example:
        >>> TeaCache(threshold=0.08, signal="time").schemes()[0].signal
        'time'
    """

    name: ClassVar[str] = "teacache"

    threshold: float = 0.1  # tau
    coefficients: tuple[float, ...] = IDENTITY_COEFFICIENTS  # of p, highest power first
    signal: TeaCacheSignal = "modulated"
    align_steps: int = 1
    last_step: bool = True

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        check_polynomial_coefficients(self.coefficients)
        check_choice("signal", self.signal, TEACACHE_SIGNALS)
        check_align_steps(self.align_steps, minimum=1)
        check_bool("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """The residual of all blocks, held; each guidance branch decides for itself."""
        gate = add_guards(
            SignalGate(threshold=self.threshold, coefficients=tuple(self.coefficients)),
            align_steps=self.align_steps,
            last_step=self.last_step,
        )
        return (Scheme(Blocks(), gate, ResidualHold(), self.last_step, "accumulated", self.signal),)
