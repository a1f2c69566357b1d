"""Spectrum (arXiv:2603.01623, CVPR 2026; hanjq17/Spectrum f7b7841f, wan_forward.py): gaps that grow over the run.

The first W steps are computed, then the last step of every window of floor(N) steps; each window adds alpha to N.
Window, alpha and share of the polynomial are those of the official launch scripts, the rest of the official configs.
The forecast of the other steps is in chebyshev_ridge.py. It replaces what the blocks return: norm and head always run.
"""

from dataclasses import dataclass
from math import floor, inf
from typing import ClassVar

from navicache.policies.cache_sites import SITE_NAMES, SiteName, resolve_site
from navicache.policies.chebyshev_ridge import ChebyshevRidge
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_bool,
    check_choice,
    check_integer,
    check_number,
)
from navicache.policies.policy import Scheme
from navicache.policies.protocols import Step

SMALLEST_RIDGE = 1e-6  # with less, early fits have more coefficients than outputs


@dataclass(frozen=True, kw_only=True)
class GrowingWindowGate(IndexGate):
    """Computes the first steps, and the last step of every window."""

    window: float
    growth: float
    align_steps: int

    def is_scheduled(self, step: Step) -> bool:
        """With W = 5, N = 2 and alpha = 0.75: steps 0 to 4, 6, 8, 11, 15, 20 and so on, 14 of 50."""
        due, window = self.align_steps - 1, self.window
        while due < step.local_index:
            due += floor(window)
            window = round(window + self.growth, 3)  # as the official code: 0.1 ten times is 1
        return step.local_index < self.align_steps or step.local_index == due


@dataclass(frozen=True)
class Spectrum:
    """Compute at growing gaps; forecast with Chebyshev polynomials that are fitted to all computed steps.

    All computed outputs of a run are kept, as in the official code: `history` limits them. That code maps steps to
    [-1, 1] as if every run had 50 of them: `span`.

    Example:
        >>> gate = Spectrum().schemes()[0].gate
        >>> [i for i in range(30) if gate.decide(None, Step(index=i, local_index=i))[0].compute]
        [0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 25]
    """

    name: ClassVar[str] = "spectrum"

    window: float = 2.0  # N
    growth: float = 0.75  # alpha
    align_steps: int = 5  # W
    degree: int = 4  # M
    ridge: float = 0.1  # lambda
    share: float = 0.5  # w, of the polynomial; 1 is the paper's, the rest is a line
    span: int = 50
    history: int = 100  # K
    site: SiteName = "blocks"
    last_step: bool = False  # the official schedule does not compute it

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_number("window", self.window, 1, inf, "1 computes every step, 2 every other")
        check_number("growth", self.growth, 0, inf, "0.75 in the official scripts, 0 keeps the window")
        check_align_steps(self.align_steps, minimum=1)
        check_number("ridge", self.ridge, SMALLEST_RIDGE, inf, "0.1 in the official configs")
        check_number("share", self.share, 0, 1, "1 is the polynomial alone, 0 a line")
        for knob, least in (("degree", 0), ("span", 1), ("history", 2)):
            check_integer(knob, getattr(self, knob), least)
        check_choice("site", self.site, SITE_NAMES)
        check_bool("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """One list for all guidance branches; each branch is forecast from its own outputs."""
        gate = add_guards(
            GrowingWindowGate(window=self.window, growth=self.growth, align_steps=self.align_steps),
            align_steps=self.align_steps,
            last_step=self.last_step,
        )
        forecast = ChebyshevRidge(self.degree, self.ridge, self.share, self.span, self.history)
        return (Scheme(resolve_site(self.site), gate, forecast, self.last_step, None),)
