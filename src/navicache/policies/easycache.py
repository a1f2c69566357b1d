"""EasyCache (arXiv:2507.02860; official files easycache_generate.py, easycache_sample_video.py)."""

from dataclasses import dataclass
from typing import ClassVar

from navicache.estimator import Gaussian
from navicache.policies.knob_checks import (
    check_align_steps,
    check_choice,
    check_bool,
    check_optional_count,
    check_number,
    check_threshold,
)
from navicache.policies.guards import add_guards
from navicache.policies.policy import Scheme, resolve_row_rule
from navicache.policies.predictors import ResidualHold
from navicache.policies.protocols import RowRule
from navicache.policies.ratio_gate import RatioGate
from navicache.policies.cache_sites import SITE_NAMES, SiteName, resolve_site


@dataclass(frozen=True)
class ConstantGainFilter:
    """r <- r + alpha * (z - r): a filter of constant gain that claims no variance."""

    alpha: float

    def start_belief(self, mean: float) -> Gaussian:
        """The first ratio, taken whole."""
        return Gaussian(mean, 0.0)

    def predict(self, belief: Gaussian, progress: float | None) -> Gaussian:
        """Time changes nothing."""
        del progress
        return belief

    def correct(self, prior: Gaussian, z: float, progress: float | None) -> tuple[Gaussian, float]:
        """Move by alpha; exactly onto z when alpha is 1, also from an infinite ratio."""
        del progress
        mean = z if self.alpha == 1 else prior.mean + self.alpha * (z - prior.mean)
        return Gaussian(mean, 0.0), self.alpha

    def extract_ratio(self, belief: Gaussian) -> Gaussian:
        """The belief is the ratio."""
        return belief


@dataclass(frozen=True)
class EasyCache:
    """Zero-order hold of the newest ratio: NaviCache with a gain of 1.

    Example:
        >>> EasyCache(threshold=0.025, align_steps=5).schemes()[0].site
        'model'
    """

    name: ClassVar[str] = "easycache"

    threshold: float = 0.05
    align_steps: int = 10
    last_step: bool = True
    longest_reuse: int | None = None
    rows: RowRule = "sample"  # at site "blocks" always "call"
    site: SiteName = "model"

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_threshold(self.threshold)
        check_align_steps(self.align_steps)
        check_optional_count("longest_reuse", self.longest_reuse)
        check_bool("last_step", self.last_step)
        check_choice("rows", self.rows, ("sample", "call"))
        check_choice("site", self.site, SITE_NAMES)

    def schemes(self) -> tuple[Scheme, ...]:
        """The rule of ratio_gate.py without epsilons."""
        return (build_smoothing_scheme(self, alpha=1.0),)


@dataclass(frozen=True)
class Ema(EasyCache):
    """Plain exponential smoothing of the ratio: what remains of NaviCache when its variance is constant.

    With constant noise the gain of the filter never depends on the data and settles at 0.618 for Q = R; this
    policy starts there. It is the ablation that tells what the Kalman filter itself adds.
    """

    name: ClassVar[str] = "ema"

    alpha: float = 0.618

    def __post_init__(self) -> None:
        """Check the knobs."""
        super().__post_init__()
        if self.alpha == 0:
            raise ValueError(f"alpha must be above 0, or the ratio would never move (1 is EasyCache), got {self.alpha}")
        check_number("alpha", self.alpha, 0, 1, "1 is EasyCache")

    def schemes(self) -> tuple[Scheme, ...]:
        """The rule of ratio_gate.py with a constant gain."""
        return (build_smoothing_scheme(self, alpha=self.alpha),)


def build_smoothing_scheme(policy: EasyCache, alpha: float) -> Scheme:
    """The one scheme of both policies."""
    rows = resolve_row_rule(policy.site, policy.rows)
    ratio = RatioGate(
        ratio_filter=ConstantGainFilter(alpha), threshold=policy.threshold, align_steps=policy.align_steps, rows=rows
    )
    gate = add_guards(
        ratio, align_steps=policy.align_steps, last_step=policy.last_step, longest_reuse=policy.longest_reuse
    )
    return Scheme(resolve_site(policy.site), gate, ResidualHold(), policy.last_step, "accumulated")
