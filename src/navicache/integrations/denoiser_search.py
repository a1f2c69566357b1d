"""Find the models that a pipeline runs at every step: by their names, or by what their forward takes."""

from collections.abc import Mapping
from typing import Any

from torch import nn

from navicache.integrations.attachments import get_forward_signature
from navicache.models import LATENT_ARGUMENT_NAMES, TIME_ARGUMENT_NAMES

DENOISER_NAMES = ("transformer", "transformer_2", "transformer_3", "unet", "unet_2", "denoiser", "dit", "prior")
CONTROL_ARGUMENT = "conditioning_scale"  # of ControlNets: they take latent and time too, but return no prediction


def find_denoisers(pipeline: Any) -> dict[str, nn.Module]:
    """Find the models that predict at every step: those under a known name, then those that take latent and time."""
    models = list_models(pipeline)
    named = {name: models[name] for name in DENOISER_NAMES if name in models}
    found = named | {name: model for name, model in models.items() if name not in named and is_denoiser(model)}
    if not found:
        raise ValueError(
            f"{type(pipeline).__name__} has no denoiser: no model under a known name ({', '.join(DENOISER_NAMES)}), "
            f"and none whose forward takes a latent and a time; it has: {', '.join(models)}. Pass the model itself: "
            "navicache.enable(pipe.<name>, call=CallSpec(latent=...))"
        )
    return found


def explain_uncached_models(pipeline: Any) -> tuple[str, ...]:
    """One sentence for each model that seems to run at every step and is not cached."""
    notes: list[str] = []
    for name, model in list_models(pipeline).items():
        arguments = list_argument_names(model)
        label = f"{name} ({type(model).__name__})"
        if name in DENOISER_NAMES or is_denoiser(model) or not arguments.intersection(TIME_ARGUMENT_NAMES):
            continue
        if CONTROL_ARGUMENT in arguments:
            notes.append(f"{label} is not cached and runs at every step: it computes inputs of the denoiser")
        else:
            notes.append(
                f"{label} is not cached: its forward takes a time, and no argument has a usual name of a latent; if "
                f"it denoises: navicache.enable(pipe.{name}, call=CallSpec(latent=...))"
            )
    return tuple(notes)


def find_exchanged_models(pipeline: Any, models: Mapping[str, nn.Module]) -> list[str]:
    """Names of models that the pipeline no longer has; torch.compile's wrapper around one is no other model."""
    now = {name: getattr(pipeline, name, None) for name in models}
    return [name for name, model in models.items() if _unwrap(now[name]) is not _unwrap(model)]


def _unwrap(model: Any) -> Any:
    return getattr(model, "_orig_mod", model)


def is_denoiser(model: Any) -> bool:
    """Whether a module, or a class, has a forward that takes a latent and a time, and is no ControlNet.

    Example:
        >>> class Denoiser(nn.Module):
        ...     def forward(self, hidden_states, timestep): ...
        >>> is_denoiser(Denoiser()), is_denoiser(Denoiser), is_denoiser(nn.Linear(1, 1))
        (True, True, False)
    """
    names = list_argument_names(model)
    usual = (LATENT_ARGUMENT_NAMES, TIME_ARGUMENT_NAMES)
    return CONTROL_ARGUMENT not in names and all(names.intersection(each) for each in usual)


def list_models(pipeline: Any) -> dict[str, nn.Module]:
    """The pipeline's components that are modules."""
    return {name: part for name, part in pipeline.components.items() if isinstance(part, nn.Module)}


def list_argument_names(model: Any) -> set[str]:
    """The names of what the forward of a module or class takes; empty if there is none, or Python cannot tell them."""
    forward = getattr(getattr(model, "_orig_mod", model), "forward", None)  # below torch.compile's wrapper
    signature = None if forward is None else get_forward_signature(forward)
    return set() if signature is None else set(signature.parameters)
