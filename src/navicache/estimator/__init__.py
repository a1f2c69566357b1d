"""The ratio of output change to input change, estimated while the run goes on: scalar Kalman filters, floats only.

| file | what it answers |
|---|---|
| gaussian.py | one prediction and one correction of `Gaussian(mean, variance)` |
| noise.py | process and measurement noise, constant or scheduled over the run |
| filters.py | `RandomWalkFilter` (the paper's random walk) and `DriftFilter` (ratio and its drift) behind one interface |
| diagonal.py | several ratios at once: the vector notation of the paper with diagonal matrices |
| alignment.py | how the first ratios start the filter, in the three published forms |
| calibration.py | what a compute says about the prediction it replaced: the best damping |
| steady.py | where variance and gain settle, and the error of holding the last observation |

Paper: NaviCache, ICML 2026, arXiv:2606.26795, section "Test-Time Self-Calibration" and its appendix.
"""

from navicache.estimator.alignment import AlignmentForm, align_beliefs
from navicache.estimator.damping import fit_damping, compute_extrapolation_factor
from navicache.estimator.diagonal_filter import DiagonalFilter
from navicache.estimator.ratio_filters import DriftFilter, RatioDriftBelief, RatioFilter, RandomWalkFilter
from navicache.estimator.gaussian import Gaussian, correct, compute_gain, predict, compute_upper_bound
from navicache.estimator.noise import Noise, NoiseSchedule, check_noise, evaluate_noise
from navicache.estimator.steady_state import (
    TheoremBound,
    compute_hold_variance,
    compute_posterior_variance,
    compute_prior_variance,
    compute_steady_gain,
    compute_theorem_bound,
)

__all__ = [
    "AlignmentForm",
    "TheoremBound",
    "DiagonalFilter",
    "DriftFilter",
    "Gaussian",
    "Noise",
    "RatioDriftBelief",
    "RatioFilter",
    "NoiseSchedule",
    "RandomWalkFilter",
    "align_beliefs",
    "fit_damping",
    "check_noise",
    "correct",
    "compute_gain",
    "compute_hold_variance",
    "compute_posterior_variance",
    "predict",
    "compute_prior_variance",
    "compute_extrapolation_factor",
    "compute_steady_gain",
    "compute_theorem_bound",
    "compute_upper_bound",
    "evaluate_noise",
]
