"""One transformer of a pipeline, with an engine in front of its forward."""

import functools
from dataclasses import dataclass, field
from typing import Any

from torch import nn

from navicache.engine import Engine, Host, Reader
from navicache.integrations import server_settings
from navicache.integrations.attachments import ModuleAttachment, get_forward_signature
from navicache.integrations.rank_groups import get_class_name, find_ranks
from navicache.integrations.scheduler import read_scheduler_position
from navicache.policies import Policy
from navicache.records import summarise


@dataclass(frozen=True, eq=False)
class RequestContext:
    """What is known of a request before its first step; each is an object of its own."""

    pipeline: Any = field(repr=False)
    requested_steps: int | None = None  # as it was asked for; a pipeline with defaults of its own may take others

    def describe_call(self) -> Host:
        """Where the next call stands, as far as the pipeline's scheduler tells."""
        index, total, timesteps = read_scheduler_position(getattr(self.pipeline, "scheduler", None))
        return Host(None, index, total or self.requested_steps, None, self if timesteps is None else timesteps)


class AttachedTransformer:
    """An engine for a transformer; each of two experts has one."""

    def __init__(self, model: nn.Module, policy: Policy, request: RequestContext, group: Any) -> None:
        """Attach to this instance."""
        self.model, self._request = model, request
        call = server_settings.find_model_spec(model).call
        about = {"model": get_class_name(model), "call": call, "surroundings": self._describe_call}
        about["find_ranks"] = functools.partial(find_ranks, model, group)
        self._engine = Engine(policy, Reader(call, get_forward_signature(model)), **about)
        self._attachment = ModuleAttachment(model, self._engine)

    def _describe_call(self) -> Host:
        return self._request.describe_call()

    def start_request(self, request: RequestContext) -> None:
        """Close the run before, where nobody has, and go on with this request."""
        self.end_request()
        self._request = request

    def end_request(self, finished: bool = True) -> str:
        """Close the run, if there is one, and let its tensors go; says what it came to."""
        at = self._engine.at
        ran, whole = not at.why, at.done or at.total is None
        if not finished:
            self._engine.abort()  # perhaps the device itself is at fault: nothing is fetched from it
            return "stopped before its end" if ran else ""
        self._engine.end_run("request over", whole)
        return summarise([*self._engine.trace.runs][-1:], details=False) if ran else ""

    def detach(self) -> None:
        """Give the instance its own forward back."""
        self._attachment.detach()
