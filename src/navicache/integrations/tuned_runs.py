"""Settings files at a model: the models they fit, and the policy of runs that depart from what was measured."""

import functools
import logging
from collections.abc import Mapping
from typing import Any

from navicache.engine import CallFacts, FallbackPolicy
from navicache.integrations.policy_choice import DEFAULT_POLICY, CacheOptions, choose_policy
from navicache.models import HOST_MODELS, ModelSpec, TunedSettings

logger = logging.getLogger("navicache")


def check_tuned_model(settings: TunedSettings | None, name: str, attributes: Mapping[str, Any]) -> None:
    """Raise ValueError for another model than that of the settings, as far as its class and sizes tell.

    This is for models that are not of diffusers. A class or function of another program stands for the diffusers class
    of the same network, and of its sizes those are compared that are known; of all others only the name is.
    """
    if settings is None:
        return
    host = HOST_MODELS.get(name)
    if host is None or host.note or not host.diffusers_class or name == settings.model:  # a note: another network
        settings.check_model(name, {}, is_whole=False)
        return
    sizes = {size: value for size, value in host.translate_config(attributes).items() if value is not None}
    settings.check_model(host.diffusers_class, sizes, is_whole=False)


class TunedRuns:
    """Compares every run with the one that was measured, and warns once for each different departure."""

    def __init__(self, settings: TunedSettings, speedup: float) -> None:
        """Start without a warning; the speed-up is the fallback's."""
        self._run, self._speedup, self._warned = settings.run, speedup, set[str]()

    def explain_departure(self, facts: CallFacts, scheduler: str = "", guidance: float | None = None) -> str:
        """A note for the trace, which says what differs and what is done; empty if the run fits."""
        levels = None if facts.read_noise_levels is None else facts.read_noise_levels()
        departure = self._run.explain_departure(facts.total, scheduler, levels, guidance)
        if not departure:
            return ""
        note = (
            f"not the run that the settings were measured on ({departure}): {DEFAULT_POLICY} at a speed-up of "
            f"{self._speedup:g} in its place; `navicache tune` measures this one"
        )
        if departure not in self._warned:
            self._warned.add(departure)
            logger.warning(note)
        return note

    def explain_pipeline_departure(self, pipeline: Any, facts: CallFacts) -> str:
        """The same for a run of a diffusers pipeline, which knows its scheduler and guidance."""
        scheduler = getattr(pipeline, "scheduler", None)
        return self.explain_departure(
            facts, "" if scheduler is None else type(scheduler).__name__, read_guidance(pipeline)
        )


def read_guidance(pipeline: Any) -> float | None:
    """The guidance scale of the pipeline's call; None before the first call, or if it has none."""
    owner = getattr(pipeline, "guider", None) or pipeline  # modular pipelines keep it in a component
    scale = getattr(owner, "guidance_scale", None)
    return float(scale) if isinstance(scale, int | float) else None


def build_fallback(options: CacheOptions, spec: ModelSpec, pipeline: Any | None = None) -> FallbackPolicy | None:
    """Build what a run takes that departs from the settings; None without settings. All its engines can share it."""
    if options.settings is None:
        return None
    speedup = options.settings.get_choice(options.quality).speedup
    runs = TunedRuns(options.settings, speedup)
    explain = functools.partial(runs.explain_pipeline_departure, pipeline)
    return FallbackPolicy(choose_policy(CacheOptions(knobs={"speedup": speedup}), spec), explain)
