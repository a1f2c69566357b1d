"""What the recipes with an autoencoder of diffusers share."""

from typing import Any

import torch
from torch import nn

from navicache_pocket.train.family.recipe import EncodedVideos

INITIAL_LOG_VARIANCE = -6.0  # logarithm of a variance: a deviation of 0.05


def measure_divergence(posterior: Any) -> torch.Tensor:
    """Divergence from a unit normal, in nats per element; `posterior.kl` sums over some axes only."""
    mean, spread = posterior.mean.float(), posterior.logvar.float()
    return 0.5 * (mean.square() + spread.exp() - 1 - spread).mean()


def narrow_posterior(last: nn.Module) -> None:
    """Narrow the posterior of an untrained encoder; `last` is its last layer: means first, then log variances.

    Untrained, it would draw latents with a deviation of 1, and its small means would be lost in that noise.
    """
    bias: Any = last.bias
    with torch.no_grad():
        bias[len(bias) // 2 :] = INITIAL_LOG_VARIANCE


class DiffusersAutoencoderMixin:
    """The part of a recipe that is the same for every autoencoder of diffusers."""

    def encode(self, vae: Any, video: torch.Tensor) -> EncodedVideos:
        """Sample the posterior."""
        posterior = vae.encode(video).latent_dist
        return EncodedVideos(posterior.sample(), measure_divergence(posterior))

    def decode(self, vae: Any, latents: torch.Tensor) -> torch.Tensor:
        """Decode latents to videos."""
        return vae.decode(latents).sample

    def set_latent_deviation(self, vae: Any, deviation: float) -> None:
        """Pipelines multiply latents by the scaling factor, and divide by it before they decode."""
        vae.register_to_config(scaling_factor=1 / deviation)
