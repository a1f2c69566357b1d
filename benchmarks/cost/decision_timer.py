"""Times the decisions of an engine while its pipeline runs."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from navicache.engine import BlockEngine, CacheEngine


@dataclass
class StepLaps:
    """Seconds of one step, of all its calls together; None on a device without events."""

    decision: float = 0.0
    device: float | None = None
    after: float = 0.0


class DecisionTimer:
    """Stands in front of the decisions of one engine, until that is disabled."""

    def __init__(self, engine: CacheEngine, device: str) -> None:
        """Time `place_and_decide`, and what keeps a computed output."""
        self.engine, self.is_cuda = engine, device == "cuda"
        self.steps: dict[int, StepLaps] = {}
        engine.place_and_decide = self._wrap(engine.place_and_decide, self._add_decision)
        keep = "_leave_site" if isinstance(engine, BlockEngine) else "_store_result"
        setattr(engine, keep, self._wrap(getattr(engine, keep), self._add_after))

    def _wrap(self, work: Callable[..., Any], add: Callable[[float, float | None], None]) -> Callable[..., Any]:
        def timed(*given: Any) -> Any:
            self._drain()
            events = [torch.cuda.Event(enable_timing=True) for _ in range(2 * self.is_cuda)]
            for event in events[:1]:
                event.record()
            start = time.perf_counter()
            found = work(*given)
            for event in events[1:]:
                event.record()
            self._drain()
            seconds = time.perf_counter() - start
            add(seconds, events[0].elapsed_time(events[1]) / 1e3 if events else None)
            return found

        return timed

    def _drain(self) -> None:
        if self.is_cuda:
            torch.cuda.synchronize()

    @property
    def _lap(self) -> StepLaps:
        return self.steps.setdefault(self.engine.tracker.index, StepLaps())

    def _add_decision(self, seconds: float, device: float | None) -> None:
        lap = self._lap
        lap.decision += seconds
        lap.device = None if device is None else (lap.device or 0.0) + device

    def _add_after(self, seconds: float, _: float | None) -> None:
        self._lap.after += seconds
