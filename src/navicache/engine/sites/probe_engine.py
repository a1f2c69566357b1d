"""Computes everything and writes down what calibrations are made of."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from navicache.engine.sites.block_engine import BlockEngine
from navicache.engine.sites.model_structure import ModelStructure
from navicache.engine.tensors.containers import unpack_output


class ProbeMeasurement(NamedTuple):
    """One call of the model, against the call of the same stream a step before."""

    run_number: int
    index: int  # pyright: ignore[reportIncompatibleMethodOverride]
    stream_index: int  # which stream of the step it was, in the order of calls
    signal_change: float | None  # relative, of the signal
    output_change: float | None  # relative, of what the model returned
    residual_ratio: float | None  # mean over tokens of |R_i| / |R_(i-1)|, R what the blocks added


class ProbeEngine(BlockEngine):
    """An engine that computes every step and records measurements."""

    def __init__(self, structure: ModelStructure, *args: Any, **options: Any) -> None:
        """Nothing seen yet."""
        super().__init__(structure, *args, **options)
        self.measurements: list[ProbeMeasurement] = []
        self.run_count = 0
        self._previous: dict[str, tuple[Tensor, Tensor]] = {}  # by stream: what was returned, and what the blocks added
        self._block_residual: Tensor | None = None

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The model's own forward."""
        result = super().__call__(forward, args, kwargs)
        with torch.no_grad():
            self._record_measurement(unpack_output(result, self.call.output, False).rows[0])
        return result

    def observe_site_output(self, before: Tensor, after: Tensor) -> None:
        """Remember what the blocks added."""
        self._block_residual = after.float() - before.float()

    def _record_measurement(self, output: Tensor) -> None:
        tracker, added, self._block_residual = self.tracker, self._block_residual, None
        stream = tracker.called_streams[-1]
        if tracker.local_index == 0 and len(tracker.called_streams) == 1:
            self.run_count, self._previous = self.run_count + 1, {}
        last = self._previous.get(stream)
        if added is None or self.run is None:
            return
        output_change = ratio = None
        if last is not None:
            output_change = float((output - last[0]).float().abs().mean() / last[0].float().abs().mean())
            ratio = float((added.norm(dim=-1) / (last[1].norm(dim=-1) + 1e-8)).mean())
        self._previous[stream] = (output.clone(), added)
        state = self.run.deciders.get_or_create(stream).gate_states[0]
        place = self.run_count, tracker.index, tracker.called_streams.index(stream)
        self.measurements.append(ProbeMeasurement(*place, state, output_change, ratio))
