"""Turn the user's targets and knobs into a policy."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import nn

from navicache.integrations.policy_choice import (
    DEFAULT_POLICY,
    POLICY_OF_TARGET,
    CacheOptions,
    choose_policy,
    explain_choice,
)
from navicache.integrations.rank_groups import get_class_name
from navicache.integrations.tuned_runs import TunedRuns, check_tuned_model, find_tuned_runs
from navicache.models import Quality, find_model, read_settings
from navicache.policies import POLICIES, Inertial, Policy, build_policy

# Knobs that make a policy predict whole calls, where its own default reaches inside the model.
WHOLE_MODEL_FORMS: Mapping[str, Mapping[str, Any]] = {
    "taylorseer": {"lite": True},
    "hicache": {"lite": True},
    "spectrum": {"site": "model"},
}
FORMER_QUALITIES = ("slow", "mid")  # modes now; "fast" was one too, and is also a quality


def check_targets(**targets: float | str | None) -> None:
    """Raise ValueError for two targets."""
    given = [name for name, value in targets.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} exclude each other: give one of them")


def read_former_quality(mode: str | None, quality: Quality | None) -> tuple[str | None, Quality | None]:
    """Mode and quality, where the quality may be a word that is a mode now.

    Example:
        >>> read_former_quality(None, "fast")
        (None, 'fast')
    """
    if quality not in FORMER_QUALITIES:
        return mode, quality
    warnings.warn(f"quality={quality!r} is now mode={quality!r}", DeprecationWarning, stacklevel=3)
    return quality, None


def check_range(start_percent: float, end_percent: float) -> None:
    """Raise ValueError for a part of the run that is none."""
    if not 0 <= start_percent < end_percent <= 1:
        raise ValueError(
            f"the cached part of the run must begin before it ends, both from 0 to 1, got start {start_percent:g} and "
            f"end {end_percent:g}: 0 and 1 are the whole run"
        )


def choose_tuned_policy(module: nn.Module, options: CacheOptions, path: str) -> tuple[Policy, TunedRuns | None]:
    """Choose the policy of a settings file, and that of runs that depart from it."""
    if not path.strip():
        raise ValueError("no settings file is named: write the path of a file of `navicache tune`")
    options = replace(options, settings=read_settings(path.strip()))
    check_tuned_model(options.settings, get_class_name(module), vars(module))
    spec = find_model(get_class_name(module), vars(module))
    return choose_policy(options, spec), find_tuned_runs(options, spec)


def choose_comfyui_policy(module: nn.Module, options: CacheOptions) -> tuple[Policy, tuple[str, ...]]:
    """Choose the policy, and notes about it. Knobs without a policy or a target belong to the default policy."""
    policy = options.policy
    if policy is None and options.quality is None and POLICY_OF_TARGET.keys().isdisjoint(options.knobs):
        policy = DEFAULT_POLICY
    spec = find_model(get_class_name(module), vars(module))
    form = WHOLE_MODEL_FORMS.get(policy, {}) if isinstance(policy, str) else {}
    options = replace(options, policy=policy, knobs={**form, **options.knobs})
    chosen = choose_policy(options, spec)
    if chosen.schemes()[0].site != "model":
        raise ValueError(
            f"policy {chosen.name!r} reaches inside the model, which ComfyUI shares between workflows: choose one that "
            f"predicts whole calls ({', '.join(list_whole_model_policies())})"
        )
    return chosen, explain_choice(spec, options)


def adapt_policy_to_partial_run(policy: Policy) -> Policy:
    """Adapt the policy to a sampler that runs only part of the schedule: halve its shortest run length."""
    return replace(policy, shortest=(policy.shortest + 1) // 2) if isinstance(policy, Inertial) else policy


def has_speedup_target(policy: Inertial) -> bool:
    """Whether the target is a speed-up, and not an error."""
    return policy.max_error is None and policy.threshold is None


def list_whole_model_policies() -> list[str]:
    """List the policies that predict whole calls, by default or with the knobs of `WHOLE_MODEL_FORMS`."""
    return [name for name in POLICIES if _get_site(name) == "model"]


def _get_site(policy: str) -> Any:
    try:
        return build_policy(policy, **WHOLE_MODEL_FORMS.get(policy, {})).schemes()[0].site
    except (TypeError, ValueError):  # it needs a calibration first
        return None
