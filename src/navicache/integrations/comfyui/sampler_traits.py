"""What is known of ComfyUI's samplers by their names, and in which form a model's answer is carried on."""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

# They choose their own noise levels as they go, so that nobody can tell how far a run is.
OWN_SIGMA_SAMPLERS = ("dpm_fast", "dpm_adaptive")
# They draw all noise anew at every step: what is predicted instead of computed makes another video.
RENOISING_SAMPLERS = ("lcm",)
# Names of samplers that put fresh noise into the latent on the way.
STOCHASTIC_NAME_PARTS = ("ancestral", "sde", "ddpm", "seeds", "sa_solver")
# They evaluate twice at every noise level but the first, one evaluation right after the other.
REPEATING_SAMPLERS = ("heun", "exp_heun_2_x0", "exp_heun_2_x0_sde", "sa_solver_pece")

LatentConversion = Callable[[Tensor, Tensor, Tensor], Tensor]


class OutputForm(NamedTuple):
    """A denoised latent as it is kept, and the way back; both are given it, the latent and its noise level."""

    from_denoised: LatentConversion
    to_denoised: LatentConversion


# The direction of the sampler's step: what a flow model or a noise model returns itself.
DERIVATIVE_FORM = OutputForm(lambda denoised, x, sigma: (x - denoised) / sigma, lambda kept, x, sigma: x - kept * sigma)
# Fresh noise turns the direction at every step, and leaves the denoised latent nearly where it was.
DENOISED_FORM = OutputForm(lambda denoised, x, sigma: denoised, lambda kept, x, sigma: kept)


class SamplerTraits(NamedTuple):
    """A sampler as it is known here."""

    name: str
    output_form: OutputForm = DERIVATIVE_FORM
    bypass_reason: str = ""  # why nothing is reused; empty where something may be
    repeats_evaluations: bool = False  # whether it evaluates twice at a noise level


def classify_sampler(sampler: Any) -> SamplerTraits:
    """What is known of a sampler object of ComfyUI.

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
            name, bypass_reason=f"{name} draws all noise anew at every step: every evaluation was computed"
        )
    churn = getattr(sampler, "extra_options", {}).get("s_churn", 0)  # noise put in before a step raises its level
    noisy = any(mark in name for mark in STOCHASTIC_NAME_PARTS)
    return SamplerTraits(
        name, DENOISED_FORM if noisy else DERIVATIVE_FORM, repeats_evaluations=name in REPEATING_SAMPLERS and not churn
    )
