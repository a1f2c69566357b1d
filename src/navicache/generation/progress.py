"""The progress bar of a run, in place of the pipeline's, and the clock of its denoising loop.

Every diffusers pipeline opens `self.progress_bar` around its loop and nothing else, with or without
`callback_on_step_end`: standing in for it on the instance tells the steps and the time of the loop apart from text
encoder and VAE. The device is waited for when the loop begins and ends, never within it.
"""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from tqdm import tqdm

StepCounts = Callable[[], tuple[int, int]]
LINE_INTERVAL = 5  # seconds between the lines of a bar where there is no terminal
LAYOUT = "{desc} |{bar:24}| {n_fmt}/{total_fmt} {counts} [{elapsed}<{remaining}]"


@dataclass
class LoopClock:
    """Seconds spent in the denoising loops of one call; None where the pipeline shows no bar."""

    seconds: float | None = None

    def add(self, seconds: float) -> None:
        """Add the seconds of a loop; some pipelines have several."""
        self.seconds = (self.seconds or 0.0) + seconds


class StepBar(tqdm):
    """A tqdm bar that also shows how many steps were computed and reused."""

    def __init__(self, *args: Any, counts: StepCounts | None, clock: LoopClock, **options: Any) -> None:
        """Start the clock; without counts every step counts as computed."""
        self._counts, self._clock = counts, clock
        synchronize_device()
        self._began: float | None = time.perf_counter()
        super().__init__(*args, bar_format=LAYOUT, miniters=1, **bar_options(), **options)

    @property
    def format_dict(self) -> dict[str, Any]:
        """The values that the layout shows."""
        known = super().format_dict
        computed, reused = self._counts() if self._counts else (known["n"], 0)
        return {**known, "counts": f"computed {computed} reused {reused}"}

    def close(self) -> None:
        """Stop the clock; closing twice changes nothing."""
        if self._began is not None:
            synchronize_device()
            self._clock.add(time.perf_counter() - self._began)
            self._began = None
        super().close()


class LineWriter:
    """Standard error for a bar in a file or a pipe: each update becomes a line."""

    @property
    def encoding(self) -> str:
        """The encoding, which decides whether the bar draws blocks."""
        return sys.stderr.encoding

    def write(self, text: str) -> None:
        """Write text, with newlines for carriage returns."""
        sys.stderr.write(text.replace("\r", "\n"))

    def flush(self) -> None:
        """Flush standard error."""
        sys.stderr.flush()


def bar_options() -> dict[str, Any]:
    """Options of a bar: none on a terminal, a line every few seconds in a file or a pipe.

    Example:
        >>> bar_options().get("mininterval", LINE_INTERVAL)
        5
    """
    if sys.stderr.isatty():
        return {}
    return {"file": LineWriter(), "mininterval": LINE_INTERVAL, "maxinterval": LINE_INTERVAL}


def synchronize_device() -> None:
    """Wait until the device has finished its work."""
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()


@contextmanager
def time_loop(
    pipe: Any, label: str, counts: StepCounts | None = None, shown: bool = True
) -> Generator[LoopClock, None, None]:
    """Replace the pipeline's progress bar by ours, or by none, and time the loop."""
    clock = LoopClock()

    def progress_bar(iterable: Any = None, total: int | None = None, **_: Any) -> StepBar:
        return StepBar(iterable, total=total, desc=f"{label:>10}", counts=counts, clock=clock, disable=not shown)

    pipe.progress_bar = progress_bar
    try:
        yield clock
    finally:
        del pipe.progress_bar
