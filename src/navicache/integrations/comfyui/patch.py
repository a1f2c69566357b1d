"""`attach`: a clone of ComfyUI's MODEL with the cache in it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from navicache.integrations.comfyui import policy_settings
from navicache.integrations.comfyui.report import PatchState, SamplingReport
from navicache.integrations.comfyui.wrappers import WRAPPER_KEY, WRAPPERS
from navicache.integrations.rank_groups import get_class_name
from navicache.policies import Policy


@runtime_checkable
class ModelPatcherLike(Protocol):
    """What is used of ComfyUI's ModelPatcher."""

    model: Any
    model_options: dict[str, Any]

    def clone(self) -> Any:
        """Another handle on the same weights."""
        ...

    def add_wrapper_with_key(self, wrapper_type: str, key: str, wrapper: Callable[..., Any]) -> None:
        """Put a function around one of ComfyUI's own."""
        ...

    def remove_wrappers_with_key(self, wrapper_type: str, key: str) -> None:
        """Take it off."""
        ...


def attach(
    model: Any,
    *,
    speedup: float | None = None,
    quality: str | None = None,
    max_error: float | None = None,
    policy: str | Policy | None = None,
    knobs: Mapping[str, Any] | None = None,
) -> Any:
    """A clone of ComfyUI's MODEL that computes fewer evaluations; the model itself is left as it is.

    Args:
        model: what the nodes of ComfyUI hand to each other as MODEL.
        speedup: steps of a run over computed steps. 1 gives a clone without any cache.
        quality: "slow", "mid" or "fast" preset of the model at hand; "mid" where no target is given.
        max_error: relative error of the output that no reused step should exceed.
        policy: a name of the catalog or a policy that predicts whole calls; "inertial" by default.
        knobs: knobs of the policy, over those of the preset.
    """
    if not isinstance(model, ModelPatcherLike):
        raise TypeError(
            f"cannot cache a {type(model).__name__}: give the MODEL of a loader node; if it is one, update ComfyUI"
        )
    policy_settings.check_targets(speedup, quality, max_error)
    patched = _clone_without_cache(model)
    if speedup == 1:
        return patched
    given = {name: value for name, value in (("speedup", speedup), ("max_error", max_error)) if value is not None}
    module = model.model.diffusion_model
    chosen, note = policy_settings.choose_comfyui_policy(module, policy, quality, {**given, **(knobs or {})})
    journal = PatchState(chosen, get_class_name(module), (note,) if note else ())
    patched.model_options.setdefault("transformer_options", {}).update({WRAPPER_KEY: journal})
    for kind, wrapper in WRAPPERS.items():
        patched.add_wrapper_with_key(kind, WRAPPER_KEY, wrapper)
    return patched


def last_run(model: Any) -> SamplingReport | None:
    """What happened in the newest sampling run of a patched model or of its clones; None before the first."""
    journal = model.model_options.get("transformer_options", {}).get(WRAPPER_KEY)
    return None if journal is None else journal.last


def _clone_without_cache(model: ModelPatcherLike) -> Any:
    """A clone without a cache of ours: a second one takes the place of the first."""
    clone = model.clone()
    clone.model_options.get("transformer_options", {}).pop(WRAPPER_KEY, None)
    for kind in WRAPPERS:
        clone.remove_wrappers_with_key(kind, WRAPPER_KEY)
    return clone
