"""The cache in front of a loaded model: each generation is cached by the settings of its moment, or plain."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from navicache.engine import CannotCache
from navicache.records import summarise

from .cached_transformer import CachedTransformer
from .run_settings import find_model_spec, read_run_policy

TRANSFORMER_NAMES = (("model", "transformer"), ("model2",))  # the first of each that a pipeline of WanGP has
Settings = Mapping[str, Any] | None


class CachedModel:
    """Stands in front of a pipeline's `generate`, on the instance; WanGP drops both together."""

    def __init__(self, pipeline: Any, get_settings: Callable[[], Settings], report: Callable[[str], None]) -> None:
        """Replace `generate` of this instance; a second time changes nothing."""
        if isinstance(getattr(vars(pipeline).get("generate"), "func", None), CachedModel):
            return
        self._get_settings, self._report = get_settings, report
        self._pipeline_parts, self._generate = vars(pipeline), pipeline.generate
        self._pipeline_parts["generate"] = functools.update_wrapper(functools.partial(self), self._generate)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Generate, cached if the settings say so; the report says why if nothing could be cached."""
        settings = self._get_settings()
        if settings is None:
            self._report("")
            return self._generate(*args, **kwargs)
        try:
            return self._generate_cached(settings, *args, **kwargs)
        except CannotCache as error:  # nearly always at the first step; whatever was made is dropped and made again
            self._report(f"nothing was cached, every step is computed: {error}")
            return self._generate(*args, **kwargs)

    def _generate_cached(self, settings: Mapping[str, Any], *args: Any, **kwargs: Any) -> Any:
        transformers = find_transformers(self._pipeline_parts)
        if reason := explain_uncacheable(transformers):
            self._report(f"nothing was cached, every step is computed: {reason}")
            return self._generate(*args, **kwargs)
        steps, cached = kwargs.get("sampling_steps"), list[CachedTransformer]()
        try:
            for model in transformers:
                run_policy = read_run_policy(settings, find_model_spec(model), model, kwargs.get("guide_scale"))
                cached.append(CachedTransformer(model, run_policy, steps))
            result = self._generate(*args, **kwargs)
            self._report("; ".join(summarise([*each.end().runs], details=False) for each in cached))
            return result
        finally:
            for each in cached:
                each.detach()


def find_transformers(pipeline_parts: Mapping[str, Any]) -> list[nn.Module]:
    """Find the transformers of a pipeline, as WanGP does."""
    found = (
        next((pipeline_parts[name] for name in names if name in pipeline_parts), None) for names in TRANSFORMER_NAMES
    )
    return [model for model in found if isinstance(model, nn.Module)]


def explain_uncacheable(transformers: list[nn.Module]) -> str:
    """Why nothing can be cached; empty if something can."""
    if not transformers:
        return "this model has no transformer where WanGP keeps it"
    if any(getattr(model, "cache", None) is not None for model in transformers):
        return "WanGP's own step skipping is on: choose one of the two"
    return ""
