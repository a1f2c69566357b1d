"""Detect the end of a request: vLLM-Omni calls the pipeline's forward once per request and reports no end."""

import functools
from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.integrations.attachments import restore_forward


class RequestEndListener:
    """Calls back when the forward of a pipeline ends: finished, failed or cancelled."""

    def __init__(self, pipeline: nn.Module, on_request_end: Callable[[bool], None]) -> None:
        """Replace the forward of this instance; `on_request_end` gets whether it finished."""
        self._module, self._original_forward, self._on_request_end = pipeline, pipeline.forward, on_request_end
        self._had_own_forward = "forward" in vars(pipeline)
        self._module.forward = functools.update_wrapper(functools.partial(self._run_forward), self._original_forward)

    def _run_forward(self, *args: Any, **kwargs: Any) -> Any:
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
