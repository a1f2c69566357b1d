"""The backend: puts engines in front of a pipeline's transformers, and tells them when a request begins."""

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from torch import nn

from navicache.integrations import served
from navicache.integrations.vllm_omni.ending import Ending
from navicache.integrations.vllm_omni.part import Part, Request
from navicache.policies import EasyCache, Inertial, NaviCache, Policy

logger = logging.getLogger("vllm_omni.navicache")
USUAL = ("transformer", "transformer_2")
STEP_MODE = (
    "navicache: step execution puts steps of several requests into one call, each at another place of its run, and a "
    "cache predicts whole runs: leave out step_execution and streaming_output, or set cache_backend='none'"
)


class Backend:
    """What vLLM-Omni asks of a cache backend: `enable`, `refresh`, `is_enabled`.

    Args:
        config: vLLM-Omni's cache config; what it does not know itself are our settings.
        find_group: the process group of the ranks that make one video together.
    """

    def __init__(self, config: Any, find_group: Callable[[], Any]) -> None:
        """Refuse settings that are wrong; nothing is attached yet."""
        self.config, self.enabled = config, False
        self._options = served.read(dict(config._extra_params) or True)
        self._find_group, self._group, self._parts = find_group, None, dict[str, Part]()
        self._ending: Ending | None = None

    def enable(self, pipeline: Any) -> None:
        """Attach to every transformer of the pipeline; where one is refused, none stays attached."""
        refuse_step_mode(pipeline)
        self.disable()
        models = transformers(pipeline)
        if self._options is None:  # a speed-up of 1: every step is computed, and nothing stands in the way of it
            return
        self._group = self._find_group()
        policy, note = served.policy_for(self._options, served.find_spec(next(iter(models.values())), len(models)))
        policy, request = together(policy), Request(pipeline)
        try:
            for name, model in models.items():
                self._parts[name] = Part(model, policy, request, self._group)
            self._ending = Ending(pipeline, self._over)
        except BaseException:
            self.disable()
            raise
        self.enabled = True
        logger.info("navicache is on for %s (%s)%s", type(pipeline).__name__, policy, f"; {note}" if note else "")

    def refresh(self, pipeline: Any, num_inference_steps: int, verbose: bool = True) -> None:
        """A request begins, or a wave of requests in one batch: nothing of the one before is kept."""
        del verbose  # the log has a line when a request is over
        if any(part.model is not model for part, model in self._pairs(pipeline)):
            self.enable(pipeline)  # a transformer was exchanged, to load other weights
        request = Request(pipeline, num_inference_steps or None)
        for part in self._parts.values():
            part.begin(request)

    def _over(self, finished: bool) -> None:
        """A request has ended, one way or the other: no tensor of it is kept."""
        for part in self._parts.values():
            said = part.end(finished)
            if said:
                logger.info("request over: %s", said)

    def _pairs(self, pipeline: Any) -> list[tuple[Part, Any]]:
        return [(part, getattr(pipeline, name, None)) for name, part in self._parts.items()]

    def is_enabled(self) -> bool:
        """Whether something is attached."""
        return self.enabled

    def disable(self) -> None:
        """Leave the transformers bit for bit as they were; vLLM-Omni itself never asks for it."""
        parts, self._parts, self.enabled = self._parts, {}, False
        for part in parts.values():
            part.detach()
        if self._ending is not None:
            self._ending.detach()
            self._ending = None


def together(policy: Policy) -> Policy:
    """The policy with one decision for all samples of a call: a transformer may have been compiled for its batch."""
    return replace(policy, rows="call") if isinstance(policy, Inertial | NaviCache | EasyCache) else policy


def transformers(pipeline: Any) -> dict[str, nn.Module]:
    """The transformers of a pipeline by name, as vLLM-Omni's runner finds those it compiles."""
    names = getattr(pipeline, "_dit_modules", None) or USUAL
    found = {name: getattr(pipeline, name, None) for name in names}
    models = {name: model for name, model in found.items() if isinstance(model, nn.Module)}
    if not models:
        raise ValueError(
            f"navicache: {type(pipeline).__name__} has no {' or '.join(names)} to cache: use cache_backend='none'"
        )
    return models


def refuse_step_mode(pipeline: Any) -> None:
    """Refuse at the start what the host would refuse at the first request."""
    config = getattr(pipeline, "od_config", None)
    if getattr(config, "step_execution", False) or getattr(config, "streaming_output", False):
        raise ValueError(STEP_MODE)
