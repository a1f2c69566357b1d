"""Start and end the denoising loops of requests, of any stage."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import nn

from navicache.integrations.policy_choice import CacheOptions
from navicache_serving.sglang.denoising_loop import DenoisingLoop
from navicache_serving.sglang.request_options import describe_request_sampling, read_request_options

logger = logging.getLogger("sglang.navicache")
RUN_KEY = "navicache run"  # of the current loop, in the request's extras


class LoopRunner:
    """Gives each loop a state of its own, which is in the request, and counts the loops that called a model."""

    def __init__(self, get_process_group: Callable[[], Any], server_settings: Any = None) -> None:
        """`server_settings` are for requests that have none; the group is None on a single rank."""
        self._get_process_group, self._server_settings = get_process_group, server_settings
        self._warned_departures = set[str]()  # from the settings file, by any request
        self.called_loops = 0  # all so far

    def read_options(self, batch: Any) -> CacheOptions | None:
        """Read the options of a request; None if it must not be cached, ValueError for wrong settings."""
        return read_request_options(batch, self._server_settings)

    @contextmanager
    def open_loop(
        self, batch: Any, experts: Sequence[nn.Module], step_count: int, scheduler: Any = None
    ) -> Iterator[DenoisingLoop | None]:
        """A loop of a request, or of several in one batch; None if it is not to be cached."""
        options = self.read_options(batch)
        if options is None:
            yield None
            return
        about = (self._get_process_group, describe_request_sampling(batch, scheduler), self._warned_departures)
        loop, finished = DenoisingLoop(options, experts, step_count, *about), False
        batch.extra[RUN_KEY] = loop
        try:
            yield loop
            finished = True
        finally:
            del batch.extra[RUN_KEY]
            self.called_loops += loop.was_called
            summary, refused = loop.close_and_summarise(finished)
        logger.log(logging.WARNING if refused else logging.INFO, "%s: %s", getattr(batch, "request_id", None), summary)


def find_loop(batch: Any) -> DenoisingLoop | None:
    """Find the loop that a request is in; None if nothing is cached."""
    return batch.extra.get(RUN_KEY)
