"""NaviCache (ICML 2026, arXiv:2606.26795): the change ratio tracked by a scalar Kalman filter.

Equations 4-11 of the paper are estimator/; the safety gate is ratio_gate.py; the official scripts are
NaviCache4Wan2.1, NaviCache4Wan2.2, NaviCache4HunyuanVideo and NaviCache4OpenSora. Where the paper's text and its code
differ (docs/policies.md numbers the places) a knob selects one: None follows the code, or the text if `paper_text` is
true; `resolve_all_knobs()` returns the values used.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from navicache.estimator import AlignmentForm, DriftFilter, Noise, RandomWalkFilter, check_noise, read_noise
from navicache.estimator.gaussian import check_variance
from navicache.policies.cache_sites import SITE_NAMES, SiteName, resolve_site
from navicache.policies.guards import add_guards
from navicache.policies.knob_checks import (
    check_align_steps,
    check_bool,
    check_choice,
    check_not_bool,
    check_optional_count,
    check_threshold,
)
from navicache.policies.policy import Scheme, resolve_row_rule
from navicache.policies.predictors import OutputHold, ResidualHold
from navicache.policies.protocols import RowRule
from navicache.policies.ratio_gate import ChangeSince, Dimensions, ErrorNorm, GateOn, RatioGate

FilterState = Literal["ratio", "ratio_and_drift"]
HoldTarget = Literal["residual", "output"]

# knob: (official code, paper text)
CODE_AND_TEXT_VALUES: dict[str, tuple[object, object]] = {
    "alignment": ("newest", "mean"),
    "grow_on_reuse": (False, True),
    "relative": (True, False),
    "norm": ("mean", "sum"),
    "change_since": ("seen", "computed"),
    "hold": ("residual", "output"),
    "last_step": (True, False),
    "epsilon": (1e-8, 0.0),
    "output_epsilon": (0.0, 0.0),
}

NOISE_KNOBS = ("process_noise", "measurement_noise", "drift_noise")  # constant or a schedule
NUMBER_KNOBS = ("initial_variance", "deviations", "epsilon", "output_epsilon")

CHOICES_BY_KNOB = {
    "alignment": ("newest", "mean", "filtered"),
    "norm": ("mean", "sum"),
    "change_since": ("seen", "computed"),
    "hold": ("residual", "output"),
    "gate_on": ("mean", "upper_bound"),
    "state": ("ratio", "ratio_and_drift"),
    "dimensions": ("scalar", "channel"),
    "rows": ("sample", "call"),
    "site": SITE_NAMES,
}


@dataclass(frozen=True)
class NaviCache:
    """Track how strongly the output follows the input with a Kalman filter; reuse the last residual.

    Example:
        >>> [NaviCache(paper_text=text).resolve_all_knobs().alignment for text in (False, True)]
        ['newest', 'mean']
    """

    name: ClassVar[str] = "navicache"

    threshold: float = 0.05  # tau
    align_steps: int = 10  # N_align
    process_noise: Noise = 0.05  # Q, constant or a schedule over the run: also as [[progress, value], ...]
    measurement_noise: Noise = 0.05  # R
    initial_variance: float = 1.0  # P_0; sigma_init squared in the method section
    paper_text: bool = False
    # Differences between text and code; None follows `paper_text`.
    alignment: AlignmentForm | None = None  # 1: newest ratio | mean of the ratios | filtered from zero (Wan 2.2)
    grow_on_reuse: bool | None = None  # 3: the variance also grows on reused steps
    relative: bool | None = None  # 4: accumulated error in units of mean|y_j|
    norm: ErrorNorm | None = None  # 5: matters only for absolute errors
    change_since: ChangeSince | None = None  # 6: which step the input change is measured from
    hold: HoldTarget | None = None  # 7: what a reuse returns
    last_step: bool | None = None  # 8: always computed
    epsilon: float | None = None  # 13: in the ratio and in the gain
    output_epsilon: float | None = None  # 13: beside mean|y_j| (1e-8 for Wan 2.2 and Open-Sora)
    # Ideas the paper names and its code leaves out; off by default.
    state: FilterState = "ratio"  # 14: "ratio_and_drift" is the abstract's dual state
    drift_noise: Noise = 0.01
    dimensions: Dimensions = "scalar"  # 12: "channel" is the appendix's vector, one ratio per channel
    gate_on: GateOn = "mean"  # "upper_bound": uncertainty enters the decision
    deviations: float = 1.0
    longest_reuse: int | None = None
    rows: RowRule = "sample"  # at site "blocks" always "call"
    site: SiteName = "model"  # 10: "blocks" on Open-Sora

    def __post_init__(self) -> None:
        """Check the knobs."""
        check_bool("paper_text", self.paper_text)
        for knob in ("grow_on_reuse", "relative", "last_step"):
            check_bool(knob, self.resolve_knob(knob))
        for knob, words in CHOICES_BY_KNOB.items():
            check_choice(knob, self.resolve_knob(knob), words)
        if self.dimensions == "channel" and self.resolve_knob("change_since") == "computed":
            raise ValueError('dimensions="channel" measures from the last step seen: set change_since="seen" with it')
        check_threshold(self.threshold)
        check_align_steps(self.align_steps)
        check_optional_count("longest_reuse", self.longest_reuse)
        for knob in NOISE_KNOBS:
            object.__setattr__(self, knob, read_noise(knob, getattr(self, knob)))
        for knob in NOISE_KNOBS + NUMBER_KNOBS:
            check_not_bool(knob, self.resolve_knob(knob))
        for knob in NOISE_KNOBS:
            check_noise(knob, self.resolve_knob(knob))
        for knob in NUMBER_KNOBS:
            check_variance(knob, self.resolve_knob(knob))

    def resolve_knob(self, knob: str) -> Any:
        """Return a knob's value; `paper_text` selects it if the knob is None."""
        value = getattr(self, knob)
        if value is not None or knob not in CODE_AND_TEXT_VALUES:
            return value
        # A drift moves the ratio between steps, so its clock has to tick on reused steps too.
        drifts = knob == "grow_on_reuse" and self.state == "ratio_and_drift"
        return CODE_AND_TEXT_VALUES[knob][self.paper_text or drifts]

    def resolve_all_knobs(self) -> "NaviCache":
        """Return the same policy with every knob set."""
        return replace(self, **{knob: self.resolve_knob(knob) for knob in CODE_AND_TEXT_VALUES})

    def schemes(self) -> tuple[Scheme, ...]:
        """One scheme, at the model's root or at its blocks."""
        last_step = self.resolve_knob("last_step")
        gate = add_guards(
            self.build_gate(), align_steps=self.align_steps, last_step=last_step, longest_reuse=self.longest_reuse
        )
        hold = ResidualHold() if self.resolve_knob("hold") == "residual" else OutputHold()
        # An absolute sum is not a relative error.
        belief = "accumulated" if self.resolve_knob("relative") else None
        return (Scheme(resolve_site(self.site), gate, hold, last_step, belief),)

    def build_gate(self) -> RatioGate:
        """Build the gate without guards."""
        return RatioGate(
            ratio_filter=self.build_filter(),
            threshold=self.threshold,
            align_steps=self.align_steps,
            alignment=self.resolve_knob("alignment"),
            grow_on_reuse=self.resolve_knob("grow_on_reuse"),
            relative=self.resolve_knob("relative"),
            norm=self.resolve_knob("norm"),
            change_since=self.resolve_knob("change_since"),
            ratio_epsilon=self.resolve_knob("epsilon"),
            output_epsilon=self.resolve_knob("output_epsilon"),
            gate_on=self.gate_on,
            deviations=self.deviations,
            dimensions=self.dimensions,
            rows=resolve_row_rule(self.site, self.rows),
        )

    def build_filter(self) -> RandomWalkFilter | DriftFilter:
        """Build the filter that tracks the ratio."""
        epsilon = self.resolve_knob("epsilon")
        if self.state == "ratio":
            return RandomWalkFilter(self.process_noise, self.measurement_noise, self.initial_variance, epsilon)
        return DriftFilter(
            process_noise=self.process_noise,
            measurement_noise=self.measurement_noise,
            initial_variance=self.initial_variance,
            epsilon=epsilon,
            drift_noise=self.drift_noise,
        )
