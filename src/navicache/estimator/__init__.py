"""Scalar Kalman filters that estimate the ratio of output change to input change during a run; floats only.

| file | what it answers |
|---|---|
| gaussian.py | one prediction and one correction of `Gaussian(mean, variance)` |
| noise.py | process and measurement noise, constant or scheduled over the run |
| ratio_filters.py | `RandomWalkFilter` (the paper's) and `DriftFilter` (ratio and its drift) behind one interface |
| diagonal_filter.py | several ratios at once: the vector notation of the paper with diagonal matrices |
| alignment.py | how the first ratios start the filter, in the three published forms |
| damping.py | the damping that would have made the last prediction best |
| steady_state.py | where variance and gain settle, and the error of holding the last observation |

Paper: NaviCache, ICML 2026, arXiv:2606.26795, section "Test-Time Self-Calibration" and its appendix.
"""

from typing import TYPE_CHECKING

from navicache.estimator.alignment import AlignmentForm, align_beliefs
from navicache.estimator.damping import compute_extrapolation_factor, fit_damping
from navicache.estimator.diagonal_filter import DiagonalFilter
from navicache.estimator.gaussian import Gaussian, compute_gain, compute_upper_bound, correct, predict
from navicache.estimator.noise import Noise, NoiseSchedule, check_noise, evaluate_noise, read_noise
from navicache.estimator.ratio_filters import DriftFilter, RandomWalkFilter, RatioDriftBelief, RatioFilter
from navicache.estimator.steady_state import (
    TheoremBound,
    compute_hold_variance,
    compute_posterior_variance,
    compute_prior_variance,
    compute_steady_gain,
    compute_theorem_bound,
)
from navicache.renamed import resolve_renamed

__all__ = [
    "AlignmentForm",
    "DiagonalFilter",
    "DriftFilter",
    "Gaussian",
    "Noise",
    "NoiseSchedule",
    "RandomWalkFilter",
    "RatioDriftBelief",
    "RatioFilter",
    "TheoremBound",
    "align_beliefs",
    "check_noise",
    "compute_extrapolation_factor",
    "compute_gain",
    "compute_hold_variance",
    "compute_posterior_variance",
    "compute_prior_variance",
    "compute_steady_gain",
    "compute_theorem_bound",
    "compute_upper_bound",
    "correct",
    "evaluate_noise",
    "fit_damping",
    "predict",
    "read_noise",
]

if not TYPE_CHECKING:  # type checkers know the new names only
    __getattr__ = resolve_renamed(__name__)
