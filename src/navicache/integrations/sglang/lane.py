"""All calls of one transformer within a loop: its engine, and where the next call stands."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from navicache.engine import CannotCache, Engine, Host, Ranks, Reader
from navicache.models import CallSpec
from navicache.policies import Policy

CALL = CallSpec(latent=0, time=1, conditioning=())  # streams are told apart by name, not by what they are given


class Lane:
    """Steps are told by SGLang's own count, guidance branches by its own flag."""

    def __init__(self, policy: Policy, model: str, host: Host, ranks: Callable[[], Ranks | None]) -> None:
        """Nothing has been called; of the host its number of steps is known, and a token of the loop."""
        about = {"model": model, "call": CALL, "surroundings": self._surroundings, "find_ranks": ranks}
        self.engine = Engine(policy, Reader(CALL, None), **about)
        self._host = host
        self._called: Counter[str] = Counter()  # in this step
        self.refused = ""  # why nothing is cached after all

    def _surroundings(self) -> Host:
        return self._host

    def enter(self, step: int, stream: str) -> None:
        """Say where the next call stands; a stream that is called again in its step is another one."""
        if step != self._host.index:
            self._called = Counter()
        self._called[stream] += 1
        times = self._called[stream]
        self._host = self._host._replace(name=stream if times == 1 else f"{stream}#{times}", index=step)

    def answer(self, model: Callable[[], Any], latent: Tensor, time: Tensor) -> Any:
        """What the model returns, computed or predicted.

        A batch is computed as a whole, since a compiled model and a CUDA graph know one shape: where only some samples
        need it, the others get what was computed as well. A model that turns out not to fit is run at every step: a
        setting of the server must not fail a request.
        """
        if self.refused:
            return model()
        computed: list[Any] = []

        def forward(x: Tensor, t: Tensor, rows: Tensor) -> Any:
            del x, t
            computed.append(model())
            return picked(computed[0], rows, latent.shape[0])

        rows = torch.arange(latent.shape[0])
        try:
            output = self.engine(forward, (latent, time, rows), {})
        except CannotCache as error:
            self.refused = str(error)
        return computed[0] if computed else model() if self.refused else output


def picked(output: Any, rows: Tensor, whole: int) -> Any:
    """Rows of an output, which is a tensor or a tuple of such."""
    if rows.shape[0] == whole:
        return output
    return tuple(part[rows] for part in output) if isinstance(output, tuple) else output[rows]
