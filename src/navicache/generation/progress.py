"""The bar of a run, in place of the pipeline's own, and the clock of its denoising loop.

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
        """Another loop is over; some pipelines have several."""
        self.seconds = (self.seconds or 0.0) + seconds


class StepBar(tqdm):
    """A tqdm bar that also says how many steps were computed and reused; it asks only when it draws."""

    def __init__(self, *args: Any, counts: StepCounts | None, clock: LoopClock, **options: Any) -> None:
        """Start the clock; without counts every step counts as computed."""
        self._counts, self._clock = counts, clock
        synchronize_device()
        self._began: float | None = time.perf_counter()
        super().__init__(*args, bar_format=LAYOUT, miniters=1, **bar_options(), **options)

    @property
    def format_dict(self) -> dict[str, Any]:
        """What the layout may name."""
        known = super().format_dict
        computed, reused = self._counts() if self._counts else (known["n"], 0)
        return {**known, "counts": f"computed {computed} reused {reused}"}

    def close(self) -> None:
        """Stop the clock; closing again changes nothing."""
        if self._began is not None:
            synchronize_device()
            self._clock.add(time.perf_counter() - self._began)
            self._began = None
        super().close()


class LineWriter:
    """Stands in for the standard error of a bar: what would be drawn over itself is a line of its own."""

    @property
    def encoding(self) -> str:
        """Tells the bar whether it may draw in blocks."""
        return sys.stderr.encoding

    def write(self, text: str) -> None:
        """Text with carriage returns."""
        sys.stderr.write(text.replace("\r", "\n"))

    def flush(self) -> None:
        """At once."""
        sys.stderr.flush()


def bar_options() -> dict[str, Any]:
    """Options of a bar: none on a terminal; in a file or a pipe a line every few seconds.

    Example:
        >>> bar_options().get("mininterval", LINE_INTERVAL)
        5
    """
    return (
        {}
        if sys.stderr.isatty()
        else {"file": LineWriter(), "mininterval": LINE_INTERVAL, "maxinterval": LINE_INTERVAL}
    )


def synchronize_device() -> None:
    """Wait for what the device still has to do, so that the clock does not stop before the work."""
    if torch.accelerator.is_available():
        torch.accelerator.synchronize()


@contextmanager
def time_loop(
    pipe: Any, label: str, counts: StepCounts | None = None, shown: bool = True
) -> Generator[LoopClock, None, None]:
    """Show the loop of this pipeline in our bar, or show nothing, and time it."""
    clock = LoopClock()

    def progress_bar(iterable: Any = None, total: int | None = None, **_: Any) -> StepBar:
        return StepBar(iterable, total=total, desc=f"{label:>10}", counts=counts, clock=clock, disable=not shown)

    pipe.progress_bar = progress_bar
    try:
        yield clock
    finally:
        del pipe.progress_bar
