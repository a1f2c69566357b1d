"""HiCache (arXiv:2508.16984, ICLR 2026; yiming-l21/CFGCache bf339cb2, hicache_fast_impl.py): a scaled Hermite series.

    y_i ~ y_j + sum over k of F_k s^k H_k(s (i - j)) / k!

F_k are TaylorSeer's differences (finite_differences.py), H_k the physicists' Hermite polynomials, and s <= 1 shrinks
them twice: the paper's dual scaling. Order 1 is TaylorSeer's line with 2 s^2 of its slope. Interval, warm-up and s are
those of the official cache_init.py; both of its launch scripts set order 2.
"""

from dataclasses import dataclass
from typing import ClassVar

from navicache.policies.cache_sites import ModuleKind, Modules, Site
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import check_bool, check_choices, check_integer, check_number
from navicache.policies.policy import Scheme
from navicache.policies.protocols import Step
from navicache.policies.taylorseer import MODULE_KINDS


@dataclass(frozen=True, kw_only=True)
class HiCacheGate(IndexGate):
    """Computes if i < W, then after every N - 1 reuses (cal_type.py)."""

    interval: int
    align_steps: int

    def is_scheduled(self, step: Step) -> bool:
        """With W = 3 and N = 6: steps 0, 1, 2, 8, 14 and so on. diffusers' TaylorSeer begins with 4 there."""
        return step.local_index < self.align_steps or (step.local_index - self.align_steps + 1) % self.interval == 0


@dataclass(frozen=True)
class HiCache:
    """As `taylorseer`, with scaled Hermite polynomials in place of the powers.

    Example:
        >>> gate = HiCache(lite=True).schemes()[0].gate
        >>> [i for i in range(15) if gate.decide(None, Step(index=i, local_index=i))[0].compute]
        [0, 1, 2, 8, 14]
    """

    name: ClassVar[str] = "hicache"

    interval: int = 6  # N
    align_steps: int = 3  # W, "first_enhance"
    order: int = 2
    scale: float = 0.5  # s
    modules: tuple[ModuleKind, ...] = MODULE_KINDS
    lite: bool = False  # forecast the output of the whole model, as TaylorSeer's lite form does
    last_step: bool = False  # the official schedule does not compute it

    def __post_init__(self) -> None:
        """Check the knobs."""
        for knob, least in (("interval", 1), ("align_steps", 1), ("order", 0)):
            check_integer(knob, getattr(self, knob), least)
        check_number("scale", self.scale, 0, 1, "0.5 in the paper's code; smaller holds more")
        check_choices("modules", self.modules, MODULE_KINDS)
        check_bool("lite", self.lite)
        check_bool("last_step", self.last_step)

    def schemes(self) -> tuple[Scheme, ...]:
        """One per kind of module, all on one schedule."""
        gate = add_guards(
            HiCacheGate(interval=self.interval, align_steps=self.align_steps),
            align_steps=self.align_steps,
            last_step=self.last_step,
        )
        # the official code forms no differences before step W - 1
        series = FiniteDifferences(self.order, ignored_until_step=self.align_steps - 2, hermite_scale=self.scale)
        sites: tuple[Site, ...] = ("model",) if self.lite else tuple(Modules(kind) for kind in self.modules)
        return tuple(Scheme(site, gate, series, self.last_step, None) for site in sites)
