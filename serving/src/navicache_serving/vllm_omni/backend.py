"""The cache backend: attaches engines to a pipeline's transformers and starts each request."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from torch import nn

from navicache.integrations.policy_choice import CacheOptions
from navicache.integrations.tuned_runs import describe_sampling, find_tuned_runs
from navicache.policies import EasyCache, Inertial, NaviCache, Policy
from navicache_serving import server_settings
from navicache_serving.vllm_omni.attached_transformer import AttachedTransformer, RequestContext
from navicache_serving.vllm_omni.request_listener import RequestListener
from navicache_serving.vllm_omni.request_settings import choose_wave_settings

logger = logging.getLogger("vllm_omni.navicache")
DEFAULT_TRANSFORMER_NAMES = ("transformer", "transformer_2")
STEP_EXECUTION_REFUSED = (
    "navicache: step execution mixes steps of several requests in one call, and a cache predicts whole runs: leave out "
    "step_execution and streaming_output, or set cache_backend='none'"
)


class PipelineCacheBackend:
    """vLLM-Omni's interface of a cache backend: `enable`, `refresh`, `is_enabled`.

    Args:
        config: vLLM-Omni's cache config; its unknown keys are the settings of this cache.
        find_group: finds the process group of the ranks that make one video.
    """

    def __init__(self, config: Any, find_group: Callable[[], Any]) -> None:
        """Raise ValueError for wrong settings; attach nothing yet."""
        self.config, self.enabled = config, False
        self._server_settings = dict(config._extra_params) or True
        self._server_options = server_settings.read_settings(self._server_settings)
        self._find_group, self._process_group = find_group, None
        self._attached, self._options = dict[str, AttachedTransformer](), self._server_options
        self._request, self._warned_departures = RequestContext(None), set[str]()
        self._listener: RequestListener | None = None

    def enable(self, pipeline: Any) -> None:
        """Attach to every transformer of the pipeline; if one is refused, none stays attached."""
        refuse_step_execution(pipeline)
        self.disable()
        find_transformers(pipeline)
        self._process_group, self._request = self._find_group(), RequestContext(pipeline)
        try:
            self._attach(pipeline, self._server_options)
            self._listener = RequestListener(pipeline, self._start_request, self._end_request)
        except BaseException:
            self.disable()
            raise
        self.enabled = True

    def _attach(self, pipeline: Any, options: CacheOptions | None) -> None:
        """Attach with these options in place of others; without options every step is computed."""
        self._detach_all()
        self._options = None
        if options is None:
            return
        models = find_transformers(pipeline)
        spec = server_settings.find_model_spec(next(iter(models.values())), len(models))
        server_settings.check_model(options, next(iter(models.values())))
        policy, note = server_settings.choose_server_policy(options, spec)
        policy, fallback = use_one_decision_per_call(policy), None
        tuned = find_tuned_runs(options, spec, self._warned_departures)
        if tuned is not None:
            whole = tuned.build_fallback(lambda: describe_sampling(pipeline)._replace(scheduler=""))  # not diffusers'
            fallback = replace(whole, policy=use_one_decision_per_call(whole.policy))
        try:
            for name, model in models.items():
                self._attached[name] = AttachedTransformer(model, policy, self._request, self._process_group, fallback)
        except BaseException:
            self._detach_all()
            raise
        self._options = options
        logger.info("navicache is on for %s (%s)%s", type(pipeline).__name__, policy, f"; {note}" if note else "")

    def refresh(self, pipeline: Any, num_inference_steps: int, verbose: bool = True) -> None:
        """Start a request, or a batch of requests; nothing of the last one is kept."""
        del verbose  # the log has a line when a request ends
        self._request = RequestContext(pipeline, num_inference_steps or None)
        if any(part.model is not model for part, model in self._pair_with_current_models(pipeline)):
            self._attach(pipeline, self._options)  # a transformer was replaced, to load other weights
        for part in self._attached.values():
            part.start_request(self._request)

    def _start_request(self, batch: Any) -> None:
        """Take the settings of the requests; raise ValueError for wrong ones."""
        requests, pipeline = getattr(batch, "requests", None), self._request.pipeline
        options = self._server_options if not requests else self._read_wave_options(requests, pipeline)
        if options != self._options:
            self._attach(pipeline, options)

    def _read_wave_options(self, requests: Sequence[Any], pipeline: Any) -> CacheOptions | None:
        settings, agree = choose_wave_settings(requests, self._server_settings, has_own_cache(pipeline))
        if not agree:
            logger.warning("nothing was cached: requests with different settings of navicache came together")
        return self._server_options if settings is self._server_settings else server_settings.read_settings(settings)

    def _end_request(self, finished: bool) -> None:
        """End a request, finished or not; no tensor of it is kept, nor its number of steps.

        vLLM-Omni starts a request that tells no number of steps without `refresh`.
        """
        self._request = RequestContext(self._request.pipeline)
        for part in self._attached.values():
            summary = part.end_request(finished)
            if summary:
                logger.info("request over: %s", summary)
            part.start_request(self._request)

    def _pair_with_current_models(self, pipeline: Any) -> list[tuple[AttachedTransformer, Any]]:
        return [(part, getattr(pipeline, name, None)) for name, part in self._attached.items()]

    def is_enabled(self) -> bool:
        """Whether something is attached."""
        return self.enabled

    def disable(self) -> None:
        """Restore the transformers bit for bit; vLLM-Omni never calls this."""
        self.enabled = False
        self._detach_all()
        if self._listener is not None:
            self._listener.detach()
            self._listener = None

    def _detach_all(self) -> None:
        parts, self._attached = self._attached, {}
        for part in parts.values():
            part.detach()


def use_one_decision_per_call(policy: Policy) -> Policy:
    """Use one decision for all samples of a call: the transformer may be compiled for its batch size."""
    return replace(policy, rows="call") if isinstance(policy, Inertial | NaviCache | EasyCache) else policy


def find_transformers(pipeline: Any) -> dict[str, nn.Module]:
    """Find the transformers of a pipeline by name, as vLLM-Omni's runner does."""
    names = getattr(pipeline, "_dit_modules", None) or DEFAULT_TRANSFORMER_NAMES
    found = {name: getattr(pipeline, name, None) for name in names}
    models = {name: model for name, model in found.items() if isinstance(model, nn.Module)}
    if not models:
        raise ValueError(
            f"navicache: {type(pipeline).__name__} has no {' or '.join(names)} to cache: use cache_backend='none'"
        )
    return models


def has_own_cache(pipeline: Any) -> bool:
    """Whether a pipeline puts Cache-DiT on for a quality, by vLLM-Omni's protocol for it."""
    return callable(getattr(pipeline, "adopt_cache_dit_backend", None))


def refuse_step_execution(pipeline: Any) -> None:
    """Raise ValueError at the start for what vLLM-Omni would refuse at the first request."""
    config = getattr(pipeline, "od_config", None)
    if getattr(config, "step_execution", False) or getattr(config, "streaming_output", False):
        raise ValueError(STEP_EXECUTION_REFUSED)
