"""Settings files at a model: the models they fit, and the policy of runs that depart from what was measured."""

import functools
import logging
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from navicache.engine import CallFacts, FallbackPolicy
from navicache.integrations.policy_choice import DEFAULT_POLICY, CacheOptions, choose_policy
from navicache.models import HOST_MODELS, ModelSpec, TunedSettings
from navicache.policies import NoiseLevels

logger = logging.getLogger("navicache")
MAX_WARNINGS = 32  # different departures that are warned of; a server must not grow for ever


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


class RunSampling(NamedTuple):
    """What a host knows about the sampling of a run, beside its `CallFacts`."""

    scheduler: str = ""  # class of diffusers; empty if unknown
    guidance: float | None = None
    read_noise_levels: Callable[[], NoiseLevels | None] | None = None  # if the facts do not tell them


def describe_sampling(pipeline: Any | None) -> RunSampling:
    """Describe the call that a diffusers pipeline is in; its guidance is unknown before the first one."""
    scheduler = getattr(pipeline, "scheduler", None)
    guided = getattr(pipeline, "guider", None) or pipeline  # modular pipelines have it in a component
    scale = getattr(guided, "guidance_scale", None)
    guidance = float(scale) if isinstance(scale, int | float) else None
    return RunSampling("" if scheduler is None else type(scheduler).__name__, guidance)


class TunedRuns:
    """Compares every run with the one that was measured, and warns once for each different departure."""

    def __init__(
        self, settings: TunedSettings, quality: str | None, spec: ModelSpec, warned: set[str] | None = None
    ) -> None:
        """Choose the policy of departing runs, the default at the speed-up of the settings; `warned` may be shared."""
        self._run, self._speedup = settings.run, settings.get_choice(quality).speedup
        self.fallback_policy = choose_policy(CacheOptions(knobs={"speedup": self._speedup}), spec)
        self._warned = set[str]() if warned is None else warned

    def explain_departure(self, describe: Callable[[], RunSampling], facts: CallFacts) -> str:
        """A note for the trace, which says what differs and what is done; empty if the run fits."""
        sampling = describe()
        read_levels = facts.read_noise_levels or sampling.read_noise_levels
        levels = None if read_levels is None else read_levels()
        departure = self._run.explain_departure(facts.total, sampling.scheduler, levels, sampling.guidance)
        if not departure:
            return ""
        note = (
            f"not the run that the settings were measured on ({departure}): {DEFAULT_POLICY} at a speed-up of "
            f"{self._speedup:g} in its place; `navicache tune` measures this one"
        )
        if departure not in self._warned and len(self._warned) < MAX_WARNINGS:
            self._warned.add(departure)
            logger.warning(note)
        return note

    def build_fallback(self, describe: Callable[[], RunSampling] = RunSampling) -> FallbackPolicy:
        """Build the fallback of an engine; several engines may share it."""
        return FallbackPolicy(self.fallback_policy, functools.partial(self.explain_departure, describe))


def find_tuned_runs(options: CacheOptions, spec: ModelSpec, warned: set[str] | None = None) -> TunedRuns | None:
    """The runs that a settings file was measured on; None without one."""
    return None if options.settings is None else TunedRuns(options.settings, options.quality, spec, warned)


def build_pipeline_fallback(options: CacheOptions, spec: ModelSpec, pipeline: Any | None) -> FallbackPolicy | None:
    """Build what a run of a pipeline, of a model or of a function takes if it departs from the settings."""
    tuned = find_tuned_runs(options, spec)
    return None if tuned is None else tuned.build_fallback(functools.partial(describe_sampling, pipeline))
