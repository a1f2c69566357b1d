"""Seconds of work on a device that goes on after a call has returned."""

import time
from collections.abc import Callable
from typing import Any

import torch


class Clock:
    """Wall time with the device drained at both ends."""

    def __init__(self, device: str) -> None:
        """Know what to wait for."""
        self.drain: Callable[[], None] = torch.cuda.synchronize if device == "cuda" else lambda: None

    def time(self, work: Callable[[], Any]) -> float:
        """Seconds one call takes."""
        self.drain()
        start = time.perf_counter()
        work()
        self.drain()
        return time.perf_counter() - start
