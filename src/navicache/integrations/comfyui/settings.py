"""What the user asked for, as a policy."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import nn

from navicache.integrations.choose import DEFAULT_POLICY, MEANT, Options, choose_policy, note
from navicache.integrations.groups import class_name
from navicache.models import MODES, find_model
from navicache.policies import POLICIES, Inertial, Policy


def check_targets(speedup: float | None, quality: str | None, max_error: float | None) -> None:
    """Refuse two targets, and a quality that is none."""
    targets = {"speedup": speedup, "quality": quality, "max_error": max_error}
    given = [name for name, value in targets.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} are targets of the same thing: give one of them")
    if quality is not None and quality not in MODES:
        raise ValueError(f"quality must be one of {', '.join(map(repr, reversed(MODES)))}, got {quality!r}")


def choose(
    module: nn.Module, policy: str | Policy | None, quality: str | None, knobs: Mapping[str, Any]
) -> tuple[Policy, str]:
    """The policy, and what is to be said about it; knobs without a policy or a target are those of the default."""
    if policy is None and MEANT.keys().isdisjoint(knobs):
        policy = DEFAULT_POLICY
    spec, options = find_model(class_name(module), vars(module)), Options(policy, quality, knobs=dict(knobs))
    chosen = choose_policy(options, spec)
    if chosen.schemes()[0].site != "model":
        raise ValueError(
            f"policy {chosen.name!r} reaches inside the model, which ComfyUI shares between workflows: choose one that "
            f"predicts whole calls ({', '.join(whole_calls())})"
        )
    return chosen, note(spec, options)


def for_part(policy: Policy) -> Policy:
    """The policy for one of two samplers that share a run: what is short for a run is not short for half of it."""
    return replace(policy, shortest=(policy.shortest + 1) // 2) if isinstance(policy, Inertial) else policy


def by_speed(policy: Inertial) -> bool:
    """Whether the target is a speed-up, and not an error."""
    return policy.max_error is None and policy.threshold is None


def whole_calls() -> list[str]:
    """Policies that predict whole calls, as they are by default."""
    return [name for name, kind in POLICIES.items() if _site(kind) == "model"]


def _site(kind: Any) -> Any:
    try:
        return kind().schemes()[0].site
    except (TypeError, ValueError):  # it asks for a calibration first
        return None
