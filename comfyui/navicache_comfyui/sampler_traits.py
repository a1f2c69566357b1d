"""Properties of ComfyUI's samplers, by name, and the form in which a model's output is stored."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

# They choose noise levels by what the model answers, so the position in the run is unknown.
OWN_SIGMA_SAMPLERS = ("dpm_adaptive",)
# They draw fresh noise at every step: a predicted output would make a different video.
RENOISING_SAMPLERS = ("lcm",)
# Parts of the names of samplers that add fresh noise to the latent.
STOCHASTIC_NAME_PARTS = ("ancestral", "sde", "ddpm", "seeds", "sa_solver")

LatentConversion = Callable[[Tensor, Tensor, Tensor], Tensor]


class OutputForm(NamedTuple):
    """How a denoised latent is converted for storage and back; both functions take (value, latent, sigma)."""

    from_denoised: LatentConversion
    to_denoised: LatentConversion


# The direction of the sampler's step: what a flow model or a noise model returns.
DERIVATIVE_FORM = OutputForm(lambda denoised, x, sigma: (x - denoised) / sigma, lambda kept, x, sigma: x - kept * sigma)
# Fresh noise changes the direction at every step, but hardly changes the denoised latent.
DENOISED_FORM = OutputForm(lambda denoised, x, sigma: denoised, lambda kept, x, sigma: kept)


class SamplerTraits(NamedTuple):
    """What the cache needs to know about a sampler."""

    name: str
    output_form: OutputForm = DERIVATIVE_FORM
    bypass_reason: str = ""  # why nothing is reused; empty if steps can be reused


def classify_sampler(sampler: Any) -> SamplerTraits:
    """Look up the traits of a ComfyUI sampler object.

    Example:
        >>> def sample_euler_ancestral(): ...
        >>> from types import SimpleNamespace
        >>> classify_sampler(SimpleNamespace(sampler_function=sample_euler_ancestral)).name
        'euler_ancestral'
    """
    function = getattr(sampler, "sampler_function", None)
    name = getattr(function, "__name__", type(sampler).__name__).removeprefix("sample_").removesuffix("_function")
    if name in OWN_SIGMA_SAMPLERS:
        return SamplerTraits(
            name, bypass_reason=f"{name} chooses its own steps as it goes: every evaluation was computed"
        )
    if name in RENOISING_SAMPLERS:
        return SamplerTraits(
            name, bypass_reason=f"{name} draws fresh noise at every step: every evaluation was computed"
        )
    noisy = any(mark in name for mark in STOCHASTIC_NAME_PARTS)
    return SamplerTraits(name, DENOISED_FORM if noisy else DERIVATIVE_FORM)
