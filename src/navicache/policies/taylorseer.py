"""TaylorSeer (arXiv:2503.06923; diffusers, taylorseer_cache.py): compute at a fixed interval, forecast in between."""

from dataclasses import dataclass
from typing import ClassVar, get_args

from navicache.policies.knob_checks import check_bool, check_optional_count, check_integer, check_choices
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import add_guards
from navicache.policies.policy import Scheme
from navicache.policies.protocols import Step
from navicache.policies.cache_sites import ModuleKind, Modules, Site

MODULE_KINDS: tuple[ModuleKind, ...] = get_args(ModuleKind)


@dataclass(frozen=True, kw_only=True)
class TaylorSeerGate(IndexGate):
    """Compute while i < W, where (i - W - 1) mod C = 0, and from `stop` on."""

    interval: int
    align_steps: int
    stop: int | None

    def is_scheduled(self, step: Step) -> bool:
        """With W = 3 and C = 5: steps 0, 1, 2, 4, 9, 14 and so on."""
        if step.own_index < self.align_steps or (self.stop is not None and step.index >= self.stop):
            return True
        return (step.own_index - self.align_steps - 1) % self.interval == 0


@dataclass(frozen=True)
class TaylorSeer:
    """Forecast the outputs of the modules, or with `lite` the model's own.

    diffusers hooks attention alone by default: `modules=("self_attention", "cross_attention")`. The paper forecasts
    MLPs too. A kind the model does not have is passed over. Lite, in diffusers, is the last projection forecast and
    every block passed over: the output of the whole model.

    Example:
        >>> gate = TaylorSeer(lite=True).schemes()[0].gate
        >>> [i for i in range(15) if gate.decide(None, Step(index=i, own_index=i))[0].compute]
        [0, 1, 2, 4, 9, 14]
    """

    name: ClassVar[str] = "taylorseer"

    interval: int = 5  # C
    align_steps: int = 3  # W
    order: int = 1
    stop: int | None = None  # first step of those that all compute, at the end
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
