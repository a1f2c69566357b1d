"""When a request is over: the host calls a pipeline's forward once for each, and tells nobody when it returns."""

import functools
from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.integrations.attachments import restore_forward


class RequestEndListener:
    """A word after the forward of one pipeline, however that ends: finished, failed or cancelled."""

    def __init__(self, pipeline: nn.Module, on_request_end: Callable[[bool], None]) -> None:
        """Shadow the forward of this instance; `over` is told whether it came to its end."""
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
        """Give the instance its own forward back."""
        restore_forward(self._module, self._original_forward if self._had_own_forward else None)
