"""One denoising loop: begun and ended with the steps of a request, asked at every call of a model."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from navicache.engine import Host, Ranks
from navicache.integrations import server_settings
from navicache.integrations.policy_choice import CacheOptions
from navicache.integrations.rank_groups import get_class_name, find_ranks
from navicache.integrations.sglang.transformer_cache import TransformerCache
from navicache.records import Trace, summarise


class DenoisingLoop:
    """Everything that lives as long as the loop: an engine for each transformer that is called in it."""

    def __init__(
        self, options: CacheOptions, experts: Sequence[nn.Module], step_count: int, get_process_group: Callable[[], Any]
    ) -> None:
        """Settle what is cached and how; nothing has been called."""
        self._policy, self._note = server_settings.choose_server_policy(
            options, server_settings.find_model_spec(experts[0], len(experts))
        )
        self._step_count, self._get_process_group, self._transformer_caches = (
            step_count,
            get_process_group,
            dict[int, TransformerCache](),
        )
        self._run_token = object()

    def get_transformer_cache(self, model: Any) -> TransformerCache:
        """The calls of one transformer; a Wan 2.2 has two, and each begins where its first call stands."""
        if id(model) not in self._transformer_caches:
            name, at = get_class_name(model), Host(total=self._step_count, token=self._run_token)
            self._transformer_caches[id(model)] = TransformerCache(self._policy, name, at, self._find_ranks)
        return self._transformer_caches[id(model)]

    def _find_ranks(self) -> Ranks | None:
        return find_ranks(None, self._get_process_group())

    def close_and_summarise(self, finished: bool) -> str:
        """Let all tensors go, and tell what happened."""
        lanes, self._transformer_caches = [*self._transformer_caches.values()], {}
        for lane in lanes:
            if finished:
                lane.engine.end_run("loop over")
            else:
                lane.engine.abort()  # perhaps the device itself is at fault: nothing is fetched from it
        trace = Trace(tuple(run for lane in lanes for run in lane.engine.trace.runs))
        parts = [summarise([run], details=False) for run in trace.runs]
        refused = [f"nothing is cached: {lane.refusal}" for lane in lanes if lane.refusal]
        return "; ".join([*parts, *refused, *([self._note] if self._note else [])])
