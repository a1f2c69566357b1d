"""One denoising loop: the steps of a request."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import nn

from navicache.engine import CallFacts, RankGroup
from navicache.integrations.policy_choice import CacheOptions
from navicache.integrations.rank_groups import find_ranks, get_class_name
from navicache.integrations.tuned_runs import RunSampling, find_tuned_runs
from navicache.records import Trace, summarise
from navicache_serving import server_settings
from navicache_serving.sglang.transformer_cache import TransformerCache


class DenoisingLoop:
    """The state of a loop: a cache for each transformer that is called in it."""

    def __init__(
        self,
        options: CacheOptions,
        experts: Sequence[nn.Module],
        step_count: int,
        get_process_group: Callable[[], Any],
        sampling: RunSampling,
        warned_departures: set[str],
    ) -> None:
        """Choose the policy, and that of a request that departs from the server's settings file."""
        server_settings.check_model(options, experts[0])
        spec = server_settings.find_model_spec(experts[0], len(experts))
        self._policy, self._note = server_settings.choose_server_policy(options, spec)
        tuned = find_tuned_runs(options, spec, warned_departures)
        self._fallback = None if tuned is None else tuned.build_fallback(lambda: sampling)
        self._step_count, self._get_process_group, self._run_token = step_count, get_process_group, object()
        self._transformer_caches: dict[int, TransformerCache] = {}

    def get_transformer_cache(self, model: Any) -> TransformerCache:
        """Get the cache of a transformer; Wan 2.2 has two, and each starts at its first call."""
        if id(model) not in self._transformer_caches:
            name, call_facts = get_class_name(model), CallFacts(total=self._step_count, run_token=self._run_token)
            parts = (self._policy, name, call_facts, self._find_ranks, self._fallback)
            self._transformer_caches[id(model)] = TransformerCache(*parts)
        return self._transformer_caches[id(model)]

    def _find_ranks(self) -> RankGroup | None:
        return find_ranks(None, self._get_process_group())

    @property
    def was_called(self) -> bool:
        """Whether a call of a transformer has come here."""
        return bool(self._transformer_caches)

    def close_and_summarise(self, finished: bool) -> tuple[str, bool]:
        """Release all tensors; returns a summary of the run, and whether a transformer could not be cached."""
        caches, self._transformer_caches = [*self._transformer_caches.values()], {}
        for cache in caches:
            if finished:
                cache.engine.end_run("loop over")
            else:
                cache.engine.abort_run()  # the device may have failed: nothing is fetched from it
        trace = Trace(tuple(run for cache in caches for run in cache.engine.trace.runs))
        parts = [summarise([run], details=False) for run in trace.runs]
        refusals = [f"nothing is cached: {cache.refusal}" for cache in caches if cache.refusal]
        return "; ".join([*parts, *refusals, *([self._note] if self._note else [])]), bool(refusals)
