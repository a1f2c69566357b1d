"""The rule as the official scripts write it: eager tensors, one attribute per thing, a comparison that waits.

Written from the description of the method, for timing only; its decisions are checked against ours where it is used.
"""

import torch
from torch import Tensor


class OfficialStyle:
    """Decision and reuse of one stream pair, Wan 2.1 fashion."""

    def __init__(self, threshold: float, ratio: float, latent: Tensor, output: Tensor, branches: int) -> None:
        """Start right after a computed step."""
        self.threshold, self.ratio = threshold, ratio
        self.previous_input = latent.clone()
        self.previous_output = output
        self.accumulated = torch.zeros((), device=latent.device)
        self.residuals = [output - latent for _ in range(branches)]

    def decide(self, latent: Tensor) -> bool:
        """True to reuse."""
        raw = latent.clone()
        change = (raw - self.previous_input).abs().mean()
        size = self.previous_output.abs().mean()
        self.accumulated = self.accumulated + self.ratio * (change / size)
        reuse = bool(self.accumulated < self.threshold)
        self.previous_input = raw
        return reuse

    def reuse(self, latent: Tensor, branch: int) -> Tensor:
        """The held residual, added to the input."""
        return latent + self.residuals[branch]
