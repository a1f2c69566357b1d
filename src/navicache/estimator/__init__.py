"""The ratio of output change to input change, estimated while the run goes on: scalar Kalman filters, floats only.

| file | what it answers |
|---|---|
| gaussian.py | one prediction and one correction of `Gaussian(mean, variance)` |
| noise.py | process and measurement noise, constant or scheduled over the run |
| filters.py | `Walk` (the paper's random walk) and `Drift` (ratio and its drift) behind one interface |
| diagonal.py | several ratios at once: the vector notation of the paper with diagonal matrices |
| alignment.py | how the first ratios start the filter, in the three published forms |
| calibration.py | what a compute says about the prediction it replaced: the best damping |
| steady.py | where variance and gain settle, and the error of holding the last observation |

Paper: NaviCache, ICML 2026, arXiv:2606.26795, section "Test-Time Self-Calibration" and its appendix.
"""

from navicache.estimator.alignment import AlignmentForm, align
from navicache.estimator.calibration import best_damping, slope_reach
from navicache.estimator.diagonal import Diagonal
from navicache.estimator.filters import Drift, RatioDrift, RatioFilter, Walk
from navicache.estimator.gaussian import Gaussian, correct, gain, predict, upper_bound
from navicache.estimator.noise import Noise, Schedule, check_noise, value
from navicache.estimator.steady import (
    Bound,
    hold_variance,
    posterior_variance,
    prior_variance,
    steady_gain,
    theorem_bound,
)

__all__ = [
    "AlignmentForm",
    "Bound",
    "Diagonal",
    "Drift",
    "Gaussian",
    "Noise",
    "RatioDrift",
    "RatioFilter",
    "Schedule",
    "Walk",
    "align",
    "best_damping",
    "check_noise",
    "correct",
    "gain",
    "hold_variance",
    "posterior_variance",
    "predict",
    "prior_variance",
    "slope_reach",
    "steady_gain",
    "theorem_bound",
    "upper_bound",
    "value",
]
