"""The most memory a call needed: of the accelerator where there is one, else of this process."""

import contextlib
import re
import sys
from pathlib import Path

import torch

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # as proc(5) has it


def reset_peak() -> None:
    """Begin to watch."""
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    elif sys.platform == "linux":
        with contextlib.suppress(OSError):  # some containers forbid it: then the peak is that of the process so far
            CLEAR.write_text(RESET_PEAK)


def peak_memory() -> int | None:
    """Bytes since `reset_peak`; None where the platform does not tell."""
    if torch.cuda.is_available():
        return torch.cuda.max_memory_allocated()
    if sys.platform != "linux":
        return None
    found = re.search(r"^VmHWM:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else None
