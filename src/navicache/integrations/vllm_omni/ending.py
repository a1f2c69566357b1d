"""When a request is over: the host calls a pipeline's forward once for each, and tells nobody when it returns."""

import functools
from collections.abc import Callable
from typing import Any

from torch import nn

from navicache.integrations.attach import restore_forward


class Ending:
    """A word after the forward of one pipeline, however that ends: finished, failed or cancelled."""

    def __init__(self, pipeline: nn.Module, over: Callable[[bool], None]) -> None:
        """Shadow the forward of this instance; `over` is told whether it came to its end."""
        self._module, self._forward, self._over = pipeline, pipeline.forward, over
        self._shadowed = "forward" in vars(pipeline)
        self._module.forward = functools.update_wrapper(functools.partial(self._call), self._forward)

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        finished = False
        try:
            result = self._forward(*args, **kwargs)
            finished = True
        finally:
            self._over(finished)
        return result

    def detach(self) -> None:
        """Give the instance its own forward back."""
        restore_forward(self._module, self._forward if self._shadowed else None)
