"""Detect start and end of a request: vLLM-Omni calls the pipeline's forward once per request and reports no end."""

import functools
from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.integrations.attachments import restore_forward


class RequestListener:
    """Calls back when the forward of a pipeline starts, and when it ends: finished, failed or cancelled."""

    def __init__(
        self, pipeline: nn.Module, on_request_start: Callable[[Any], None], on_request_end: Callable[[bool], None]
    ) -> None:
        """Replace the forward of this instance.

        `on_request_start` gets the first argument, the batch of requests, and may refuse it; `on_request_end` gets
        whether the forward finished.
        """
        self._module, self._original_forward = pipeline, pipeline.forward
        self._on_request_start, self._on_request_end = on_request_start, on_request_end
        self._had_own_forward = "forward" in vars(pipeline)
        self._module.forward = functools.update_wrapper(functools.partial(self._run_forward), self._original_forward)

    def _run_forward(self, *args: Any, **kwargs: Any) -> Any:
        self._on_request_start(args[0] if args else None)
        finished = False
        try:
            result = self._original_forward(*args, **kwargs)
            finished = True
        finally:
            self._on_request_end(finished)
        return result

    def detach(self) -> None:
        """Restore the forward of the instance."""
        restore_forward(self._module, self._original_forward if self._had_own_forward else None)
