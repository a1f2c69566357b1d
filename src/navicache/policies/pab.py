"""Pyramid Attention Broadcast (arXiv:2408.12588, ICLR 2025; VideoSys): each kind of module at its own pace.

attention: reuse while index mod range != 0 and low < timestep < high
MLP: compute at the key timesteps, reuse at the next few steps, in the first blocks only

The first step inside a window may reuse what was computed before it.
"""

import math
from dataclasses import dataclass, field
from typing import ClassVar

from navicache.policies.cache_sites import ModuleKind, Modules
from navicache.policies.decisions import SCHEDULE_COMPUTE, SCHEDULE_REUSE, PlainGate
from navicache.policies.fixed_schedules import IndexGate
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_index_list,
    check_integer,
    check_number_tuple,
    check_timestep_window,
)
from navicache.policies.policy import Scheme
from navicache.policies.predictors import OutputHold
from navicache.policies.protocols import Decision, Gate, Measurement, RowRule, Step, StreamRule

TimestepWindow = tuple[float, float]
DEFAULT_WINDOW: TimestepWindow = (100, 800)


@dataclass(frozen=True, kw_only=True)
class TimestepWindowGate(IndexGate):
    """Inside the window computes every `interval` steps of the run, outside every step."""

    reads: frozenset[Measurement] = field(default=frozenset({"time"}), init=False)

    interval: int
    window: TimestepWindow

    def is_scheduled(self, step: Step) -> bool:
        """Whether to compute; a step without a timestep is outside the window."""
        (low, high), timestep = self.window, truncate_timestep(step.time)
        inside = timestep is not None and low < timestep < high
        return not inside or step.index % self.interval == 0


@dataclass(frozen=True, kw_only=True)
class KeyTimestepGate(PlainGate[int]):
    """Reuses for `reuses_after_key` steps after each key timestep; the state counts the remaining ones."""

    rows: RowRule = field(default="call", init=False)
    streams: StreamRule = field(default="lead", init=False)
    reads: frozenset[Measurement] = field(default=frozenset({"time"}), init=False)

    key_timesteps: tuple[int, ...]
    reuses_after_key: int

    def init(self) -> int:
        """Return no remaining reuses."""
        return 0

    def decide(self, state: int, step: Step) -> tuple[Decision, int]:
        """Compute at a key timestep, then reuse; a key that the run does not meet has no effect."""
        if truncate_timestep(step.time) in self.key_timesteps:
            return SCHEDULE_COMPUTE, self.reuses_after_key
        return (SCHEDULE_REUSE, state - 1) if state else (SCHEDULE_COMPUTE, 0)


def truncate_timestep(timestep: float | None) -> int | None:
    """Truncate a timestep to an integer, as the official rules compare it.

    Example:
        >>> truncate_timestep(676.9), truncate_timestep(None)
        (676, None)
    """
    return None if timestep is None or not math.isfinite(timestep) else int(timestep)


@dataclass(frozen=True)
class PAB:
    """Reuse attention and MLP outputs, each kind of module at its own interval.

    Steps are counted, not calls, so both guidance branches compute at the same steps.

    Example:
        >>> [scheme.site.kind for scheme in PAB(self_attention=2, cross_attention=6).schemes()]
        ['self_attention', 'cross_attention']
    """

    name: ClassVar[str] = "pab"

    self_attention: int | None = 2  # steps per compute; None: this kind is not cached
    temporal_attention: int | None = None
    cross_attention: int | None = None
    self_window: TimestepWindow = DEFAULT_WINDOW  # (low, high) timesteps, neither included
    temporal_window: TimestepWindow = DEFAULT_WINDOW
    cross_window: TimestepWindow = DEFAULT_WINDOW
    mlp_keys: tuple[int, ...] = ()  # timesteps; empty: MLPs are not cached
    mlp_reuses: int = 2
    mlp_blocks: tuple[int, ...] | None = None  # None: all
    align_steps: int = 1

    def __post_init__(self) -> None:
        """Check the knobs."""
        for kind in ("self", "temporal", "cross"):
            check_timestep_window(f"{kind}_window", getattr(self, f"{kind}_window"))
            every = getattr(self, f"{kind}_attention")
            if every is not None:
                check_integer(f"{kind}_attention", every, 1)
        check_number_tuple("mlp_keys", self.mlp_keys, "timesteps as whole numbers, such as (864, 788, 676)")
        check_integer("mlp_reuses", self.mlp_reuses, 0)
        if self.mlp_blocks is not None:
            check_index_list("mlp_blocks", self.mlp_blocks)
        check_align_steps(self.align_steps, minimum=1)
        if not self.schemes():
            raise ValueError("nothing would be reused: give self_attention=2, or another kind a number of steps")

    def schemes(self) -> tuple[Scheme, ...]:
        """One per kind of module."""
        paced: tuple[tuple[ModuleKind, int | None, TimestepWindow], ...] = (
            ("self_attention", self.self_attention, self.self_window),
            ("temporal_attention", self.temporal_attention, self.temporal_window),
            ("cross_attention", self.cross_attention, self.cross_window),
        )
        held = [
            self._build_module_scheme(Modules(kind), TimestepWindowGate(interval=every, window=window))
            for kind, every, window in paced
            if every
        ]
        if self.mlp_keys:
            keyed = KeyTimestepGate(key_timesteps=self.mlp_keys, reuses_after_key=self.mlp_reuses)
            held.append(self._build_module_scheme(Modules("mlp", self.mlp_blocks), keyed))
        return tuple(held)

    def _build_module_scheme(self, site: Modules, gate: Gate[None] | Gate[int]) -> Scheme:
        return Scheme(site, add_guards(gate, align_steps=self.align_steps, last_step=False), OutputHold(), False, None)
