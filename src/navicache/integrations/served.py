"""What a server or one of its requests asks for, as a policy: plain values that came as JSON.

A server answers many people: whatever is wrong with a setting is said before the first step, as a ValueError.
"""

from collections.abc import Mapping
from typing import Any

from torch import nn

from navicache.integrations.choose import DEFAULT_POLICY, MEANT, Options, choose_policy, note
from navicache.integrations.groups import class_name
from navicache.models import SIZES, UNKNOWN, ModelSpec, find_model, read_calibration
from navicache.policies import Policy

WRONG = (TypeError, ValueError, OverflowError)  # the last for whole numbers that no float can hold, as JSON may have


def read(given: Any) -> Options | None:
    """Options from a mapping of settings, or from True for the defaults; None where nothing shall be cached.

    Settings are `policy`, `mode`, `calibration` (a path on the server) and knobs of the policy.

    Example:
        >>> read({"speedup": 2.5}).knobs, read(False), read({"speedup": 1})
        ({'speedup': 2.5}, None, None)
        >>> read({"sped_up": 2})
        Traceback (most recent call last):
        ValueError: navicache: no policy has a knob 'sped_up': did you mean 'speedup'?
    """
    if given is None or given is False:
        return None
    if given is not True and not isinstance(given, Mapping):
        raise ValueError(f'navicache: give settings such as {{"speedup": 2.0}}, true or false, got {given!r}')
    options = _checked({} if given is True else dict(given))
    return None if options.knobs.get("speedup") == 1 else options


def _checked(settings: dict[str, Any]) -> Options:
    """Options that make a policy, for a model nobody knows yet."""
    try:
        path = settings.pop("calibration", None)
        measured = None if path is None else read_calibration(path)
        policy, mode = settings.pop("policy", None), settings.pop("mode", None)
        for what, name in (("policy", policy), ("mode", mode)):
            if name is not None and not isinstance(name, str):
                raise ValueError(f"{what} must be a name, got {name!r}")
        if policy is None and measured is None and mode is not None and MEANT.keys().isdisjoint(settings):
            policy = DEFAULT_POLICY
        options = Options(policy, mode, calibration=measured, knobs=settings)
    except (*WRONG, OSError) as error:
        raise ValueError(f"navicache: {error}") from error
    policy_for(options, UNKNOWN)
    return options


def policy_for(options: Options, spec: ModelSpec) -> tuple[Policy, str]:
    """The policy for a model, and what is to be said about it; one that reaches inside the model is refused."""
    try:
        policy = choose_policy(options, spec)
    except WRONG as error:
        raise ValueError(f"navicache: {error}") from error
    if policy.schemes()[0].site != "model":
        raise ValueError(
            f"navicache: policy {policy.name!r} reaches inside the model, which the server may have compiled, sharded "
            "or hooked itself: choose one that predicts whole calls, such as 'inertial' or 'navicache'"
        )
    return policy, note(spec, options)


def find_spec(model: nn.Module, experts: int = 1) -> ModelSpec:
    """The model as the library knows it, by class and size; servers name their classes as diffusers does."""
    config = getattr(model, "config", None)
    return find_model(class_name(model), {name: getattr(config, name, None) for name in SIZES}, experts)
