"""Computes everything and writes down what calibrations are made of."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from navicache.engine.sites.anatomy import Anatomy
from navicache.engine.sites.blocks import BlockEngine
from navicache.engine.tensors.containers import unpack


class Sight(NamedTuple):
    """One call of the model, against the call of the same stream a step before."""

    run: int
    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    branch: int  # which stream of the step it was, in the order of calls
    indicator_change: float | None  # relative, of the signal
    output_change: float | None  # relative, of what the model returned
    residual_ratio: float | None  # mean over tokens of |R_i| / |R_(i-1)|, R what the blocks added


class Probe(BlockEngine):
    """An engine that changes nothing and looks at everything."""

    def __init__(self, anatomy: Anatomy, *args: Any, **options: Any) -> None:
        """Nothing seen yet."""
        super().__init__(anatomy, *args, **options)
        self.sights: list[Sight] = []
        self.runs = 0
        self._last: dict[str, tuple[Tensor, Tensor]] = {}  # by stream: what was returned, and what the blocks added
        self._added: Tensor | None = None

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's own forward."""
        result = super().__call__(forward, args, kwargs)
        with torch.no_grad():
            self._see(unpack(result, self.call.output, False).rows[0])
        return result

    def came_through(self, before: Tensor, after: Tensor) -> None:
        """Remember what the blocks added."""
        self._added = after.float() - before.float()

    def _see(self, output: Tensor) -> None:
        at, added, self._added = self.at, self._added, None
        stream = at.called[-1]
        if at.own_index == 0 and len(at.called) == 1:
            self.runs, self._last = self.runs + 1, {}
        last = self._last.get(stream)
        if added is None or self.run is None:
            return
        moved = ratio = None
        if last is not None:
            moved = float((output - last[0]).float().abs().mean() / last[0].float().abs().mean())
            ratio = float((added.norm(dim=-1) / (last[1].norm(dim=-1) + 1e-8)).mean())
        self._last[stream] = (output.clone(), added)
        state = self.run.deciders.of(stream).gates[0]
        self.sights.append(Sight(self.runs, at.index, at.called.index(stream), state, moved, ratio))
