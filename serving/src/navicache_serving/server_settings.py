"""Turn the JSON settings of a server or a request into a policy.

Wrong settings raise a ValueError before the first step.
"""

from collections.abc import Mapping
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
from navicache.models import SIZE_FIELDS, UNKNOWN_MODEL, ModelSpec, find_model, read_calibration
from navicache.models import read_settings as read_settings_file
from navicache.policies import Policy

SETTINGS_FILE = "settings"  # among the settings, the path of a file on the server
SETTING_ERRORS = (TypeError, ValueError, OverflowError)  # the last for JSON integers too large for a float


def read_settings(settings: Any) -> CacheOptions | None:
    """Read options from a mapping of settings, or from True for the defaults; None if nothing is to be cached.

    Settings are `policy`, `mode`, `calibration` and `settings` (paths on the server), `quality`, and knobs.

    Example:
        >>> read_settings({"speedup": 2.5}).knobs, read_settings(False), read_settings({"speedup": 1})
        ({'speedup': 2.5}, None, None)
        >>> read_settings({"sped_up": 2})
        Traceback (most recent call last):
        ValueError: navicache: no policy has a knob 'sped_up': did you mean 'speedup'?
    """
    if settings is None or settings is False:
        return None
    if settings is not True and not isinstance(settings, Mapping):
        raise ValueError(f'navicache: give settings such as {{"speedup": 2.0}}, true or false, got {settings!r}')
    options = _build_options({} if settings is True else dict(settings))
    return None if options.knobs.get("speedup") == 1 else options


def add_server_file(settings: Any, server_settings: Any) -> Any:
    """Add the server's settings file to a request that asks for a quality; a request names no file itself.

    Example:
        >>> add_server_file({"quality": "high"}, {"settings": "wan.json", "quality": "fast"})
        {'settings': 'wan.json', 'quality': 'high'}
    """
    if not isinstance(settings, Mapping):
        return settings
    if SETTINGS_FILE in settings:
        raise ValueError("navicache: a request cannot name a settings file: name it for the server, and a quality here")
    if "calibration" in settings:  # a client must not choose which files of the server are read
        raise ValueError("navicache: a request cannot name a calibration: name it for the server")
    has_file = isinstance(server_settings, Mapping) and SETTINGS_FILE in server_settings
    named = {SETTINGS_FILE: server_settings[SETTINGS_FILE]} if has_file and "quality" in settings else {}
    return {**named, **settings}


def _build_options(settings: dict[str, Any]) -> CacheOptions:
    """Build options and check that they give a policy for an unknown model."""
    try:
        path = settings.pop("calibration", None)
        measured = None if path is None else read_calibration(path)
        path, quality = settings.pop("settings", None), settings.pop("quality", None)
        tuned = None if path is None else read_settings_file(path)
        policy, mode = settings.pop("policy", None), settings.pop("mode", None)
        for what, name in (("policy", policy), ("mode", mode)):
            if name is not None and not isinstance(name, str):
                raise ValueError(f"{what} must be a name, got {name!r}")
        if policy is None and measured is None and mode is not None and POLICY_OF_TARGET.keys().isdisjoint(settings):
            policy = DEFAULT_POLICY
        options = CacheOptions(policy, mode, calibration=measured, knobs=settings, settings=tuned, quality=quality)
    except (*SETTING_ERRORS, OSError) as error:
        raise ValueError(f"navicache: {error}") from error
    choose_server_policy(options, UNKNOWN_MODEL)
    return options


def choose_server_policy(options: CacheOptions, spec: ModelSpec) -> tuple[Policy, str]:
    """Choose the policy for a model, and a note about it; a policy that caches parts of the model is refused."""
    try:
        policy = choose_policy(options, spec)
    except SETTING_ERRORS as error:
        raise ValueError(f"navicache: {error}") from error
    if policy.schemes()[0].site != "model":
        raise ValueError(
            f"navicache: policy {policy.name!r} reaches inside the model, which the server may have compiled, sharded "
            "or hooked itself: choose one that predicts whole calls, such as 'inertial' or 'navicache'"
        )
    return policy, "; ".join(explain_choice(spec, options))


def find_model_spec(model: nn.Module, expert_count: int = 1) -> ModelSpec:
    """Find the spec of a model by class and size; servers name their classes like diffusers."""
    return find_model(get_class_name(model), _read_sizes(model), expert_count)


def check_model(options: CacheOptions, model: nn.Module) -> None:
    """Raise ValueError for another model than that of the settings file, by its class and the sizes it tells."""
    if options.settings is not None:
        sizes = {name: size for name, size in _read_sizes(model).items() if size is not None}
        try:
            options.settings.check_model(get_class_name(model), sizes, is_whole=False)
        except ValueError as error:
            raise ValueError(f"navicache: {error}") from error


def _read_sizes(model: nn.Module) -> dict[str, Any]:
    config = getattr(model, "config", None)
    return {name: getattr(config, name, None) for name in SIZE_FIELDS}
