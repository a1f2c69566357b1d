"""What else is on the model or in the prompts that matters to the cache."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from .evaluation_plan import EvaluationPlan

OWN_KEY = "navicache"  # other caches leave names with "cache" in them too


def describe_other_caches(transformer_options: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """A warning about another cache on the same model.

    Example:
        >>> describe_other_caches({"easycache": object(), "navicache": object()})
        ('another cache is on this model (easycache): both leave evaluations out, so remove one of them',)
    """
    names = [str(key) for key in transformer_options if "cache" in str(key).lower() and OWN_KEY not in str(key)]
    text = f"another cache is on this model ({', '.join(names)}): both leave evaluations out, so remove one of them"
    return (text,) if names else ()


def count_switches(
    conds: Mapping[str, Sequence[Mapping[str, Any]]], plan: EvaluationPlan, to_sigma: Callable[[float], float]
) -> int:
    """How many times a conditioning begins in mid-run: its first outputs are computed, since it has none before.

    Example:
        >>> from navicache_comfyui.evaluation_plan import plan_evaluations
        >>> plan = plan_evaluations([1.0, 0.7, 0.4], [1.0, 0.7, 0.4, 0.0])
        >>> early, late = {"start_percent": 0.0, "end_percent": 0.5}, {"start_percent": 0.5, "end_percent": 1.0}
        >>> count_switches({"positive": [early, late], "negative": [{}]}, plan, lambda share: 1 - share)
        1
    """
    sigmas = [sigma for sigma, place in zip(plan.sigmas, plan.places, strict=True) if place is not None]
    starts = [
        float(to_sigma(cond["start_percent"])) for each in conds.values() for cond in each if cond.get("start_percent")
    ]
    return len({start for start in starts if sigmas and min(sigmas) <= start < max(sigmas)})
