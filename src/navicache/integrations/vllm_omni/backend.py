"""The backend: puts engines in front of a pipeline's transformers, and tells them when a request begins."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch import nn

from navicache.integrations import server_settings
from navicache.integrations.vllm_omni.request_end import RequestEndListener
from navicache.integrations.vllm_omni.attached_transformer import AttachedTransformer, RequestContext
from navicache.policies import EasyCache, Inertial, NaviCache, Policy

logger = logging.getLogger("vllm_omni.navicache")
DEFAULT_TRANSFORMER_NAMES = ("transformer", "transformer_2")
STEP_EXECUTION_REFUSED = (
    "navicache: step execution puts steps of several requests into one call, each at another place of its run, and a "
    "cache predicts whole runs: leave out step_execution and streaming_output, or set cache_backend='none'"
)


class PipelineCacheBackend:
    """What vLLM-Omni asks of a cache backend: `enable`, `refresh`, `is_enabled`.

    Args:
        config: vLLM-Omni's cache config; what it does not know itself are our settings.
        find_group: the process group of the ranks that make one video together.
    """

    def __init__(self, config: Any, find_group: Callable[[], Any]) -> None:
        """Refuse settings that are wrong; nothing is attached yet."""
        self.config, self.enabled = config, False
        self._options = server_settings.read_settings(dict(config._extra_params) or True)
        self._find_group, self._process_group, self._attached = find_group, None, dict[str, AttachedTransformer]()
        self._end_listener: RequestEndListener | None = None

    def enable(self, pipeline: Any) -> None:
        """Attach to every transformer of the pipeline; where one is refused, none stays attached."""
        refuse_step_execution(pipeline)
        self.disable()
        models = find_transformers(pipeline)
        if self._options is None:  # a speed-up of 1: every step is computed, and nothing stands in the way of it
            return
        self._process_group = self._find_group()
        policy, note = server_settings.choose_server_policy(
            self._options, server_settings.find_model_spec(next(iter(models.values())), len(models))
        )
        policy, request = use_one_decision_per_call(policy), RequestContext(pipeline)
        try:
            for name, model in models.items():
                self._attached[name] = AttachedTransformer(model, policy, request, self._process_group)
            self._end_listener = RequestEndListener(pipeline, self._end_request)
        except BaseException:
            self.disable()
            raise
        self.enabled = True
        logger.info("navicache is on for %s (%s)%s", type(pipeline).__name__, policy, f"; {note}" if note else "")

    def refresh(self, pipeline: Any, num_inference_steps: int, verbose: bool = True) -> None:
        """A request begins, or a wave of requests in one batch: nothing of the one before is kept."""
        del verbose  # the log has a line when a request is over
        if any(part.model is not model for part, model in self._pair_with_current_models(pipeline)):
            self.enable(pipeline)  # a transformer was exchanged, to load other weights
        request = RequestContext(pipeline, num_inference_steps or None)
        for part in self._attached.values():
            part.start_request(request)

    def _end_request(self, finished: bool) -> None:
        """A request has ended, one way or the other: no tensor of it is kept."""
        for part in self._attached.values():
            said = part.end_request(finished)
            if said:
                logger.info("request over: %s", said)

    def _pair_with_current_models(self, pipeline: Any) -> list[tuple[AttachedTransformer, Any]]:
        return [(part, getattr(pipeline, name, None)) for name, part in self._attached.items()]

    def is_enabled(self) -> bool:
        """Whether something is attached."""
        return self.enabled

    def disable(self) -> None:
        """Leave the transformers bit for bit as they were; vLLM-Omni itself never asks for it."""
        parts, self._attached, self.enabled = self._attached, {}, False
        for part in parts.values():
            part.detach()
        if self._end_listener is not None:
            self._end_listener.detach()
            self._end_listener = None


def use_one_decision_per_call(policy: Policy) -> Policy:
    """The policy with one decision for all samples of a call: a transformer may have been compiled for its batch."""
    return replace(policy, rows="call") if isinstance(policy, Inertial | NaviCache | EasyCache) else policy


def find_transformers(pipeline: Any) -> dict[str, nn.Module]:
    """The transformers of a pipeline by name, as vLLM-Omni's runner finds those it compiles."""
    names = getattr(pipeline, "_dit_modules", None) or DEFAULT_TRANSFORMER_NAMES
    found = {name: getattr(pipeline, name, None) for name in names}
    models = {name: model for name, model in found.items() if isinstance(model, nn.Module)}
    if not models:
        raise ValueError(
            f"navicache: {type(pipeline).__name__} has no {' or '.join(names)} to cache: use cache_backend='none'"
        )
    return models


def refuse_step_execution(pipeline: Any) -> None:
    """Refuse at the start what the host would refuse at the first request."""
    config = getattr(pipeline, "od_config", None)
    if getattr(config, "step_execution", False) or getattr(config, "streaming_output", False):
        raise ValueError(STEP_EXECUTION_REFUSED)
