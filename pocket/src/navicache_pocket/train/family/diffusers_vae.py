"""What autoencoders of diffusers share."""

from typing import Any

import torch
from torch import nn

from navicache_pocket.train.family.recipe import EncodedVideos

INITIAL_LOG_VARIANCE = -6.0  # logarithm of a variance: a deviation of 0.05


def measure_divergence(posterior: Any) -> torch.Tensor:
    """From a unit normal, in nats an element; `posterior.kl` adds up some axes and not others."""
    mean, spread = posterior.mean.float(), posterior.logvar.float()
    return 0.5 * (mean.square() + spread.exp() - 1 - spread).mean()


def narrow_posterior(last: nn.Module) -> None:
    """Let a fresh encoder's posterior begin narrow; `last` is its last layer, means first, then log variances.

    A layer as it is made draws latents with a deviation of 1, in which what little it says at first is lost.
    """
    bias: Any = last.bias
    with torch.no_grad():
        bias[len(bias) // 2 :] = INITIAL_LOG_VARIANCE


class DiffusersAutoencoderMixin:
    """The part of a recipe that is the same for every autoencoder of diffusers."""

    def encode(self, vae: Any, video: torch.Tensor) -> EncodedVideos:
        """A sample of the posterior."""
        posterior = vae.encode(video).latent_dist
        return EncodedVideos(posterior.sample(), measure_divergence(posterior))

    def decode(self, vae: Any, latents: torch.Tensor) -> torch.Tensor:
        """Back to what was encoded."""
        return vae.decode(latents).sample

    def set_latent_deviation(self, vae: Any, deviation: float) -> None:
        """Pipelines multiply latents by the scaling factor, and divide by it before they decode."""
        vae.register_to_config(scaling_factor=1 / deviation)
