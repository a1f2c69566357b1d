"""Energy that a GPU has used, from the counter of its driver."""

import ctypes
from typing import Any


class EnergyCounter:
    """Millijoules of one GPU since its driver was loaded; `None` where there is no such counter."""

    def __init__(self, device: str, index: int = 0) -> None:
        """Open the counter of a GPU; on a CPU there is none."""
        self._library, self._handle = (None, None) if device != "cuda" else open_counter(index)

    def read_joules(self) -> float | None:
        """The joules until now."""
        if self._library is None:
            return None
        used = ctypes.c_ulonglong()
        status = self._library.nvmlDeviceGetTotalEnergyConsumption(self._handle, ctypes.byref(used))
        return used.value / 1000 if status == 0 else None


def open_counter(index: int) -> tuple[Any, Any]:
    """The driver's library and the GPU's handle in it."""
    try:
        library = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return None, None
    handle = ctypes.c_void_p()
    if library.nvmlInit_v2() or library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle)):
        return None, None
    return library, handle
