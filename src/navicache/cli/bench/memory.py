"""Peak memory of a call: of the GPU it ran on, or of this process if it ran on a CPU."""

import contextlib
import re
import sys
from pathlib import Path

import torch

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"  # as proc(5) has it


def reset_peak(device: torch.device) -> None:
    """Start to measure."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    elif sys.platform == "linux":
        with contextlib.suppress(OSError):  # some containers forbid it: then the peak is that of the process so far
            CLEAR.write_text(RESET_PEAK)


def peak_memory(device: torch.device) -> int | None:
    """Peak bytes since `reset_peak`; None if the device or the platform does not report it."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    if device.type != "cpu" or sys.platform != "linux":
        return None
    found = re.search(r"^VmHWM:\s+(\d+) kB", STATUS.read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else None
