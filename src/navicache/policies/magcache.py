"""MagCache (arXiv:2506.09045, NeurIPS 2025; scripts MagCache4Wan2.1 and its siblings): its knobs."""

from dataclasses import dataclass
from typing import ClassVar

from navicache.policies.knob_checks import (
    check_align_steps,
    check_choice,
    check_bool,
    check_number,
    check_index_list,
    check_number_tuple,
    check_threshold,
    check_integer,
)
from navicache.policies.guards import add_guards
from navicache.policies.magcache_gate import ROUNDING_OFFSETS, Comparison, MagCacheGate, RetentionRule, Rounding
from navicache.policies.policy import Scheme
from navicache.policies.predictors import ResidualHold
from navicache.policies.cache_sites import Blocks


@dataclass(frozen=True)
class MagCache:
    """A table, measured once per model, of how much the blocks' residual grows from each step to the next.

    The rule is mag_gate.py. The table begins with step 0, whose entry is 1; tables published without it, or under a
    square root, are brought into this form where they are read (models/published.py). Threshold, K and
    retention are by default those of diffusers' hook, which is `rounding="nearest"`.

    Example:
        >>> MagCache(ratios=(1.0, 0.98, 0.99, 0.97)).schemes()[0].gate.reads
        frozenset()
    """

    name: ClassVar[str] = "magcache"

    ratios: tuple[float, ...] = ()
    interleaved: bool = False  # two entries a step: of the branch called first, and of the other
    threshold: float = 0.06
    longest_reuse: int = 3  # K
    retention: float = 0.2  # share of the run that always computes, at its start
    align_steps: int = 1
    # What differs between the scripts.
    comparison: Comparison = "<="
    rounding: Rounding = "down"  # of the steps that `retention` makes
    signed: bool = False  # a residual that grows makes up for one that shrank: Open-Sora
    largest_change: float | None = None  # of one entry from 1, for a reuse: FramePack
    always_compute: tuple[int, ...] = ()  # steps of the table that compute whatever it says: FLUX
    reused_before: int = 0  # reuses in a row that a run begins with: OmniGen2
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
        """The residual of all blocks, held; each guidance branch decides for itself."""
        if not self.ratios:
            raise ValueError(
                "policy 'magcache' needs a table of the model at hand and none is published for it: "
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
