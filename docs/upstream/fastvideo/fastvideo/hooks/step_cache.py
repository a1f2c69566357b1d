# SPDX-License-Identifier: Apache-2.0
"""Step caches: a forward hook that may answer a call of the transformer instead of running it.

The hook manager runs every hook before and after the forward, so a hook alone cannot leave the forward out. A step
cache is the one hook that may: it gets the forward and decides. It knows the model by its call alone.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import nn

from fastvideo.forward_context import get_forward_context


@dataclass(frozen=True)
class StepCall:
    """Where a call is in its loop, as the forward context knows it."""

    step: int
    num_steps: int
    branch: str  # "cond" or "uncond"


class StepCache(ABC):
    """What a caching technique implements. One instance is for one transformer; two experts have one each."""

    @abstractmethod
    def begin(self, num_steps: int) -> None:
        """A request begins: drop what the last one left."""

    @abstractmethod
    def call(self, at: StepCall, forward: Callable[[], Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """Return the output of the transformer: `forward()`, or a prediction of it."""

    @abstractmethod
    def end(self) -> None:
        """A request is over, finished or not: keep no tensor of it."""


class StepCacheHandle:
    """A step cache in front of one transformer's forward."""

    def __init__(self, module: nn.Module, cache: StepCache):
        self.module, self.cache = module, cache
        self.batch: Any = None
        self.had_own_forward = "forward" in vars(module)
        self.original_forward = module.forward
        module.forward = functools.partial(self._forward)

    def _forward(self, *args, **kwargs) -> Any:
        forward = functools.partial(self.original_forward, *args, **kwargs)
        context = get_forward_context()
        batch = context.forward_batch
        if batch is None:
            return forward()
        num_steps = len(batch.timesteps)
        if batch is not self.batch:
            self.batch = batch
            self.cache.begin(num_steps)
        branch = "uncond" if batch.is_cfg_negative else "cond"
        return self.cache.call(StepCall(context.current_timestep, num_steps, branch), forward, args, kwargs)

    def end_request(self) -> None:
        self.batch = None
        self.cache.end()

    def remove(self) -> None:
        """Restore the forward as it was."""
        self.end_request()
        if self.had_own_forward:
            self.module.forward = self.original_forward
        else:
            del self.module.forward
