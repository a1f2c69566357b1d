"""`attach`: a clone of ComfyUI's MODEL with the cache in it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import torch

from navicache.engine import StorageOptions
from navicache.integrations.policy_choice import CacheOptions
from navicache.integrations.rank_groups import get_class_name
from navicache.models import Quality
from navicache.policies import Policy

from . import policy_settings
from .report import PatchState, SamplingReport
from .wrappers import WRAPPER_KEY, WRAPPERS


@runtime_checkable
class ModelPatcherLike(Protocol):
    """The part of ComfyUI's ModelPatcher that is used here."""

    model: Any
    model_options: dict[str, Any]

    def clone(self) -> Any:
        """Another handle on the same weights."""
        ...

    def add_wrapper_with_key(self, wrapper_type: str, key: str, wrapper: Callable[..., Any]) -> None:
        """Wrap one of ComfyUI's functions."""
        ...

    def remove_wrappers_with_key(self, wrapper_type: str, key: str) -> None:
        """Remove the wrappers."""
        ...


def attach(
    model: Any,
    *,
    speedup: float | None = None,
    mode: str | None = None,
    quality: Quality | None = None,
    max_error: float | None = None,
    policy: str | Policy | None = None,
    knobs: Mapping[str, Any] | None = None,
    settings: str | None = None,
    keep_device: str | None = None,
    keep_dtype: torch.dtype | None = None,
    start_percent: float = 0.0,
    end_percent: float = 1.0,
) -> Any:
    """Return a clone of ComfyUI's MODEL that computes fewer evaluations; the model itself is not changed.

    Args:
        model: ComfyUI's MODEL, as loader nodes return it.
        speedup: steps of a run per computed step. 1 returns a clone without a cache.
        mode: "slow", "mid" or "fast" preset of the model; "mid" if no target is given.
        quality: "lossless", "high" or "fast": what the settings file has for it; without a file, a speed-up of the
            default policy.
        max_error: largest relative output error of each reused step.
        policy: a name of the catalog or a policy that predicts whole calls; "inertial" by default.
        knobs: knobs of the policy; they override those of the preset.
        settings: file of `navicache tune`, in place of policy and target. A run with other steps or noise levels takes
            "inertial" at the file's speed-up, and the report says so.
        keep_device: where kept outputs are, for instance "cpu"; None leaves them on the model's device.
        keep_dtype: what kept outputs are stored in; None as they come.
        start_percent: share of the run after which evaluations may be predicted, as ComfyUI counts it.
        end_percent: share of the run until which they may.
    """
    if not isinstance(model, ModelPatcherLike):
        raise TypeError(
            f"cannot cache a {type(model).__name__}: give the MODEL of a loader node; if it is one, update ComfyUI"
        )
    if settings is None:  # with a file the quality is one of the file
        mode, quality = policy_settings.read_former_quality(mode, quality)
        policy_settings.check_targets(speedup=speedup, mode=mode, quality=quality, max_error=max_error)
    policy_settings.check_range(start_percent, end_percent)
    patched = _clone_without_cache(model)
    if speedup == 1:
        return patched
    given = {name: value for name, value in (("speedup", speedup), ("max_error", max_error)) if value is not None}
    module = model.model.diffusion_model
    options, notes, tuned = CacheOptions(policy, mode, knobs={**given, **(knobs or {})}, quality=quality), (), None
    if settings is None:
        chosen, notes = policy_settings.choose_comfyui_policy(module, options)
    else:
        chosen, tuned = policy_settings.choose_tuned_policy(module, options, settings)
    keep = StorageOptions(keep_dtype, None if keep_device is None else torch.device(keep_device))
    state = PatchState(chosen, get_class_name(module), notes, tuned, keep, start_percent, end_percent)
    patched.model_options.setdefault("transformer_options", {}).update({WRAPPER_KEY: state})
    for kind, wrapper in WRAPPERS.items():
        patched.add_wrapper_with_key(kind, WRAPPER_KEY, wrapper)
    return patched


def last_run(model: Any) -> SamplingReport | None:
    """The report of the newest sampling run of a patched model or of its clones; None before the first."""
    state: PatchState | None = model.model_options.get("transformer_options", {}).get(WRAPPER_KEY)
    return None if state is None else state.last_report


def _clone_without_cache(model: ModelPatcherLike) -> Any:
    """Clone the model without this cache, so that a second one replaces the first."""
    clone = model.clone()
    clone.model_options.get("transformer_options", {}).pop(WRAPPER_KEY, None)
    for kind in WRAPPERS:
        clone.remove_wrappers_with_key(kind, WRAPPER_KEY)
    return clone
