"""Settings of a generation: the choices of the panel, and other settings as JSON."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from torch import nn

from navicache.engine import FallbackPolicy
from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.integrations.rank_groups import get_class_name
from navicache.integrations.tuned_runs import RunSampling, check_tuned_model, find_tuned_runs
from navicache.models import QUALITIES, UNKNOWN_MODEL, ModelSpec, find_model, read_settings
from navicache.policies import Policy

OFF = "off"
SPEEDUPS = {"1.5x": 1.5, "2x": 2.0, "2.5x": 2.5, "3x": 3.0}
CHOICES = [OFF, *SPEEDUPS, *QUALITIES]
SETTING_ERRORS = (TypeError, ValueError, OverflowError, OSError)


def parse_settings(choice: str, text: str) -> dict[str, Any] | None:
    """Parse what the panel says; the text counts more than the choice, but "off" is off. ValueError if it is wrong.

    Example:
        >>> parse_settings("2x", ""), parse_settings("high", '{"max_error": 0.05}'), parse_settings("off", "{}")
        ({'speedup': 2.0}, {'max_error': 0.05}, None)
    """
    if choice == OFF:
        return None
    settings: Any = {"speedup": SPEEDUPS[choice]} if choice in SPEEDUPS else {"quality": choice}
    if text.strip():
        try:
            settings = json.loads(text)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(
                f'navicache: other settings must be JSON, such as {{"max_error": 0.05}}: {error}'
            ) from error
    if not isinstance(settings, dict):
        raise ValueError(f'navicache: give settings such as {{"speedup": 2.0}}, got {settings!r}')
    read_run_policy(settings, UNKNOWN_MODEL)
    return settings


class RunPolicy(NamedTuple):
    """The policy of a generation, and that of one that departs from what a settings file was measured on."""

    policy: Policy
    fallback: FallbackPolicy | None


def read_run_policy(
    settings: Mapping[str, Any], spec: ModelSpec, model: nn.Module | None = None, guidance: float | None = None
) -> RunPolicy:
    """Read the policy of settings for a model; ValueError for wrong settings, or for those of another model."""
    knobs = dict(settings)
    try:
        path = knobs.pop("settings", None)
        tuned = None if path is None else read_settings(path)
        policy, mode, quality = (knobs.pop(name, None) for name in ("policy", "mode", "quality"))
        if model is not None:
            check_tuned_model(tuned, get_class_name(model), vars(model))
        options = CacheOptions(policy, mode, knobs=knobs, settings=tuned, quality=quality)
        chosen, runs = choose_policy(options, spec), find_tuned_runs(options, spec)
    except SETTING_ERRORS as error:
        raise ValueError(f"navicache: {error}") from error
    if chosen.schemes()[0].site != "model":
        raise ValueError(
            f"navicache: policy {chosen.name!r} reaches inside the model, whose parts WanGP moves and swaps: choose "
            "one that predicts whole calls, such as 'inertial' or 'navicache'"
        )
    return RunPolicy(chosen, None if runs is None else runs.build_fallback(lambda: RunSampling("", guidance)))


def find_model_spec(model: nn.Module) -> ModelSpec:
    """Find the spec of a transformer by class and size."""
    return find_model(get_class_name(model), vars(model))
