"""One denoising loop: begun and ended with the steps of a request, asked at every call of a model."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from navicache.engine import Host, Ranks
from navicache.integrations import served
from navicache.integrations.choose import Options
from navicache.integrations.groups import class_name, find_ranks
from navicache.integrations.sglang.lane import Lane
from navicache.records import Trace, summarise


class Loop:
    """Everything that lives as long as the loop: an engine for each transformer that is called in it."""

    def __init__(self, options: Options, experts: Sequence[nn.Module], total: int, group: Callable[[], Any]) -> None:
        """Settle what is cached and how; nothing has been called."""
        self._policy, self._note = served.policy_for(options, served.find_spec(experts[0], len(experts)))
        self._total, self._group, self._lanes = total, group, dict[int, Lane]()
        self._token = object()

    def lane(self, model: Any) -> Lane:
        """The calls of one transformer; a Wan 2.2 has two, and each begins where its first call stands."""
        if id(model) not in self._lanes:
            name, at = class_name(model), Host(total=self._total, token=self._token)
            self._lanes[id(model)] = Lane(self._policy, name, at, self._ranks)
        return self._lanes[id(model)]

    def _ranks(self) -> Ranks | None:
        return find_ranks(None, self._group())

    def close(self, finished: bool) -> str:
        """Let all tensors go, and tell what happened."""
        lanes, self._lanes = [*self._lanes.values()], {}
        for lane in lanes:
            if finished:
                lane.engine.end_run("loop over")
            else:
                lane.engine.abort()  # perhaps the device itself is at fault: nothing is fetched from it
        trace = Trace(tuple(run for lane in lanes for run in lane.engine.trace.runs))
        parts = [summarise([run], details=False) for run in trace.runs]
        refused = [f"nothing is cached: {lane.refused}" for lane in lanes if lane.refused]
        return "; ".join([*parts, *refused, *([self._note] if self._note else [])])
