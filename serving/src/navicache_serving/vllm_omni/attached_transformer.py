"""One transformer of a pipeline, with an engine in front of its forward."""

import functools
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from navicache.engine import CallFacts, CallReader, FallbackPolicy, ModelEngine
from navicache.integrations.attachments import ModuleAttachment, get_forward_signature
from navicache.integrations.rank_groups import find_ranks, get_class_name
from navicache.integrations.scheduler import read_is_flow, read_noise_levels, read_scheduler_position
from navicache.policies import Policy
from navicache.records import summarise
from navicache_serving import server_settings


@dataclass(frozen=True, eq=False)
class RequestContext:
    """What is known about a request before its first step; requests are compared by identity."""

    pipeline: Any = field(repr=False)
    requested_steps: int | None = None  # a pipeline with other defaults may run another number

    def describe_call(self) -> CallFacts:
        """Describe the next call, from the pipeline's scheduler."""
        scheduler = getattr(self.pipeline, "scheduler", None)
        index, total, timesteps = read_scheduler_position(scheduler)
        levels = None if timesteps is None else functools.partial(read_noise_levels, scheduler)
        token = self if timesteps is None else timesteps
        return CallFacts(None, index, total or self.requested_steps, None, token, levels, read_is_flow(scheduler))


class AttachedTransformer:
    """The engine of one transformer; each of two experts has one."""

    def __init__(
        self, model: nn.Module, policy: Policy, request: RequestContext, group: Any, fallback: FallbackPolicy | None
    ) -> None:
        """Attach to this instance."""
        self.model, self._request = model, request
        call = server_settings.find_model_spec(model).call
        about = {"model": get_class_name(model), "call": call, "describe_call": self._describe_call}
        about["fallback"] = fallback
        about["find_ranks"] = functools.partial(find_ranks, model, group)
        self._engine = ModelEngine(policy, CallReader(call, get_forward_signature(model)), **about)
        self._attachment = ModuleAttachment(model, self._engine)

    def _describe_call(self) -> CallFacts:
        return self._request.describe_call()

    def start_request(self, request: RequestContext) -> None:
        """End the last run if it is still open, and start with this request."""
        self.end_request()
        self._request = request

    def end_request(self, finished: bool = True) -> str:
        """End the run, if there is one, release its tensors and summarise it."""
        at = self._engine.tracker
        has_run, is_complete = not at.new_run_reason, at.is_done or at.total is None
        if not finished:
            self._engine.abort_run()  # the device may have failed: nothing is fetched from it
            return "stopped before its end" if has_run else ""
        self._engine.end_run("request over", is_complete)
        return summarise([*self._engine.trace.runs][-1:], details=False) if has_run else ""

    def detach(self) -> None:
        """Restore the forward of the instance."""
        self._attachment.detach()
