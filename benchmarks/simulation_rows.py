"""Numbers and filters of many runs at once: one a row of the batch."""

import torch
from torch import Tensor

NOISE = 0.05  # R of every filter


class Filter:
    """Scalar Kalman filters, one a row; a first measurement may be believed as it is."""

    def __init__(self, mean: Tensor, known: bool) -> None:
        """Variance 1, as `Walk.start`."""
        self.mean, self.variance = mean.clone(), torch.ones_like(mean)
        self.known = torch.full_like(mean, known, dtype=torch.bool)  # whether the start means anything

    def follow(self, rows: Tensor, seen: Tensor, taught: Tensor, process_noise: Tensor) -> None:
        """Predict and correct where something was taught."""
        prior = self.variance[rows] + process_noise[rows]
        gain = prior / (prior + NOISE + 1e-8)
        known = self.known[rows]
        mean = torch.where(known, self.mean[rows] + gain * (seen - self.mean[rows]), seen)
        variance = torch.where(known, gain * NOISE, torch.ones_like(gain))
        self.mean[rows] = torch.where(taught, mean, self.mean[rows])
        self.variance[rows] = torch.where(taught, variance, self.variance[rows])
        self.known[rows] = known | taught


def wide(values: Tensor) -> Tensor:
    """One number a row, to be multiplied with latents."""
    return values.view(-1, 1, 1, 1, 1).float()


def mean_abs(tensor: Tensor) -> Tensor:
    """Of each row."""
    return tensor.abs().flatten(1).mean(1).double()


def mean_product(a: Tensor, b: Tensor) -> Tensor:
    """Of each row."""
    return (a * b).flatten(1).mean(1).double()
