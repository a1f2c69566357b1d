"""MagCache (arXiv:2506.09045, NeurIPS 2025; scripts MagCache4Wan2.1 and its siblings): its knobs."""

from dataclasses import dataclass
from typing import ClassVar

from navicache.policies.cache_sites import Blocks
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_bool,
    check_choice,
    check_index_list,
    check_integer,
    check_number,
    check_number_tuple,
    check_threshold,
)
from navicache.policies.magcache_gate import ROUNDING_OFFSETS, Comparison, MagCacheGate, RetentionRule, Rounding
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold


@dataclass(frozen=True)
class MagCache:
    """Follow a table, measured once per model, of how the residual of the blocks grows.

    The rule is in magcache_gate.py. The table starts with step 0, whose entry is 1. Tables published without it, or
    under a square root, are converted when they are read (models/published_presets.py). The defaults of threshold, K
    and retention are those of diffusers' hook, which is `rounding="nearest"`.

    Example:
        >>> MagCache(ratios=(1.0, 0.98, 0.99, 0.97)).schemes()[0].gate.reads
        frozenset()
    """

    name: ClassVar[str] = "magcache"

    ratios: tuple[float, ...] = ()
    interleaved: bool = False  # two entries per step: first the guidance branch that is called first
    threshold: float = 0.06
    longest_reuse: int = 3  # K
    retention: float = 0.2  # share of the run, at its start, that is always computed
    align_steps: int = 1
    # What differs between the scripts.
    comparison: Comparison = "<="
    rounding: Rounding = "down"  # of the number of retained steps
    signed: bool = False  # growth cancels shrinkage: Open-Sora
    largest_change: float | None = None  # a reuse needs an entry this close to 1: FramePack
    always_compute: tuple[int, ...] = ()  # entries of the table that are always computed: FLUX
    reused_before: int = 0  # consecutive reuses counted at the start of a run: OmniGen2
    switch: float | None = None  # share of the run after which the second expert takes over: Wan 2.2
    reuse_before_switch: bool = True

    def __post_init__(self) -> None:
        """Check the knobs."""
        for flag in ("interleaved", "signed", "reuse_before_switch"):
            check_bool(flag, getattr(self, flag))
        check_index_list("always_compute", self.always_compute, min_length=0)
        check_number_tuple("ratios", self.ratios, "one per step, or two where interleaved; the first is 1")
        if self.interleaved and len(self.ratios) % 2:
            raise ValueError(
                f"interleaved ratios come in pairs, one per guidance branch; got {len(self.ratios)} of them"
            )
        check_threshold(self.threshold)
        check_integer("longest_reuse", self.longest_reuse, 0)
        check_number("retention", self.retention, 0, 1, "0.2 computes the first fifth of the run")
        check_align_steps(self.align_steps, minimum=1)
        check_choice("comparison", self.comparison, ("<", "<="))
        check_choice("rounding", self.rounding, ROUNDING_OFFSETS)
        check_integer("reused_before", self.reused_before, 0)
        if self.largest_change is not None:
            check_number("largest_change", self.largest_change, 0, 10, "0.06 in FramePack; leave it out for no limit")
        if self.switch is not None:
            check_number("switch", self.switch, 0, 1, "0.638 for Wan 2.2 T2V-A14B; leave it out with one expert")

    def schemes(self) -> tuple[Scheme, ...]:
        """Hold the residual of all blocks; each guidance branch has its own decision."""
        if not self.ratios:
            raise ValueError(
                "policy 'magcache' needs a table of this model, and none is published: "
                "measure one with `navicache calibrate --method magcache`, or give ratios=(1.0, ...)"
            )
        retained = RetentionRule(self.retention, self.rounding, self.align_steps, self.switch, self.reuse_before_switch)
        gate = MagCacheGate(
            ratio_tables=(self.ratios[::2], self.ratios[1::2]) if self.interleaved else (self.ratios,),
            retention=retained,
            threshold=self.threshold,
            longest_reuse=self.longest_reuse,
            comparison=self.comparison,
            signed=self.signed,
            largest_change=self.largest_change,
            always_compute=self.always_compute,
            reused_before=self.reused_before,
        )
        return (Scheme(Blocks(), add_guards(gate, align_steps=1, last_step=False), ResidualHold(), False, None),)
