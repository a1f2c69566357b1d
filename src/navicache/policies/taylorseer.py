"""TaylorSeer (arXiv:2503.06923; diffusers, taylorseer_cache.py): compute at a fixed interval, forecast in between."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from navicache.policies.cache_sites import ModuleKind, Modules, Site
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import check_bool, check_choices, check_integer, check_optional_count
from navicache.policies.policy import Scheme
from navicache.policies.protocols import Step

MODULE_KINDS: tuple[ModuleKind, ...] = get_args(ModuleKind)


@dataclass(frozen=True, kw_only=True)
class TaylorSeerGate(IndexGate):
    """Computes if i < W, if (i - W - 1) mod C = 0, and from `stop` on."""

    interval: int
    align_steps: int
    stop: int | None

    def is_scheduled(self, step: Step) -> bool:
        """With W = 3 and C = 5: steps 0, 1, 2, 4, 9, 14 and so on."""
        if step.local_index < self.align_steps or (self.stop is not None and step.index >= self.stop):
            return True
        return (step.local_index - self.align_steps - 1) % self.interval == 0


@dataclass(frozen=True)
class TaylorSeer:
    """Compute at an interval; forecast the outputs of modules, or of the model, by finite differences.

    diffusers hooks only attention by default: `modules=("self_attention", "cross_attention")`. The paper forecasts
    MLPs too. A kind of module that the model does not have is skipped. Lite in diffusers forecasts the last projection
    and skips every block, which is the output of the whole model.

    Example:
        >>> gate = TaylorSeer(lite=True).schemes()[0].gate
        >>> [i for i in range(15) if gate.decide(None, Step(index=i, local_index=i))[0].compute]
        [0, 1, 2, 4, 9, 14]
    """

    name: ClassVar[str] = "taylorseer"

    interval: int = 5  # C
    align_steps: int = 3  # W
    order: int = 1
    stop: int | None = None  # from this step on every step is computed
    modules: tuple[ModuleKind, ...] = MODULE_KINDS
    lite: bool = False

    def __post_init__(self) -> None:
        """Check the knobs."""
        for knob, least in (("interval", 1), ("align_steps", 1), ("order", 0)):
            check_integer(knob, getattr(self, knob), least)
        check_optional_count("stop", self.stop)
        check_choices("modules", self.modules, MODULE_KINDS)
        check_bool("lite", self.lite)

    def schemes(self) -> tuple[Scheme, ...]:
        """One per kind of module, all on one schedule."""
        gate = add_guards(
            TaylorSeerGate(interval=self.interval, align_steps=self.align_steps, stop=self.stop),
            align_steps=self.align_steps,
            last_step=False,
        )
        sites: tuple[Site, ...] = ("model",) if self.lite else tuple(Modules(kind) for kind in self.modules)
        return tuple(Scheme(site, gate, FiniteDifferences(self.order), False, None) for site in sites)
