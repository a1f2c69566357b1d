"""Several ratios at once: the vector notation of the paper's appendix, every matrix diagonal.

A diagonal filter of dimension n is n independent filters, so this is a loop and nothing more. One ratio for the whole
latent is n = 1; one per channel is n = channels.
"""

from dataclasses import dataclass
from typing import Generic

from navicache.estimator.gaussian import Gaussian
from navicache.estimator.ratio_filters import BeliefT, RatioFilter


@dataclass(frozen=True)
class DiagonalFilter(Generic[BeliefT]):
    """The same filter for each of n ratios; a belief is a tuple with one entry per ratio.

    Example:
        >>> from navicache.estimator.ratio_filters import RandomWalkFilter
        >>> pair = DiagonalFilter(RandomWalkFilter(process_noise=0.5, measurement_noise=0.5, epsilon=0.0))
        >>> priors = pair.predict(pair.start_beliefs((2.0, 0.0)), progress=None)
        >>> beliefs, gains = pair.correct(priors, (4.0, 4.0), progress=None)
        >>> [belief.mean for belief in pair.extract_ratios(beliefs)], gains
        ([3.5, 3.0], (0.75, 0.75))
    """

    ratio_filter: RatioFilter[BeliefT]

    def start_beliefs(self, means: tuple[float, ...]) -> tuple[BeliefT, ...]:
        """One first belief per mean."""
        return tuple(self.ratio_filter.start_belief(mean) for mean in means)

    def predict(self, beliefs: tuple[BeliefT, ...], progress: float | None) -> tuple[BeliefT, ...]:
        """Every belief one step later, nothing observed."""
        return tuple(self.ratio_filter.predict(belief, progress) for belief in beliefs)

    def correct(
        self, priors: tuple[BeliefT, ...], z: tuple[float, ...], progress: float | None
    ) -> tuple[tuple[BeliefT, ...], tuple[float, ...]]:
        """Every belief after its observed ratio, and every gain."""
        check_ratio_count(priors, z)
        pairs = [self.ratio_filter.correct(prior, ratio, progress) for prior, ratio in zip(priors, z, strict=True)]
        return tuple(belief for belief, _ in pairs), tuple(gain for _, gain in pairs)

    def extract_ratios(self, beliefs: tuple[BeliefT, ...]) -> tuple[Gaussian, ...]:
        """The marginal belief about every ratio."""
        return tuple(map(self.ratio_filter.extract_ratio, beliefs))


def check_ratio_count(beliefs: tuple[object, ...], z: tuple[float, ...]) -> None:
    """Raise ValueError unless there is one observed ratio per belief.

    Example:
        >>> check_ratio_count(("a belief",), (1.0, 2.0))
        Traceback (most recent call last):
        ValueError: 2 ratios for 1 beliefs: observe as many ratios (channels) as the filter was started with
    """
    if len(beliefs) != len(z):
        raise ValueError(
            f"{len(z)} ratios for {len(beliefs)} beliefs: "
            "observe as many ratios (channels) as the filter was started with"
        )
