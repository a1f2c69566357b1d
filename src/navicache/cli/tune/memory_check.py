"""Look at the memory before a model is loaded: a search that dies after an hour of loading helps nobody."""

from pathlib import Path

import torch

from navicache.generation.job import ModelSource
from navicache.generation.loading import choose_device, choose_dtype, locate_model

WEIGHTS = ("*.safetensors", "*.bin")
MEMINFO = Path("/proc/meminfo")
GIB = 2**30


def check_memory(source: ModelSource) -> None:
    """Refuse a model whose weights alone are larger than the free memory of its device."""
    place = locate_model(source)
    if source.offload != "none" or isinstance(place, str):  # a hub's model is not here yet
        return
    device = choose_device(source)
    free = read_free_bytes(device)
    need = count_weight_bytes(place)
    if choose_dtype(source, device) == torch.float32 and not source.is_embedded:
        need *= 2  # published weights are saved in half precision
    if free is not None and need > free:
        way = "--offload model" if device.type != "cpu" else "a machine with more memory, or --dtype bfloat16"
        raise ValueError(
            f"{source.model} needs {need / GIB:.1f} GiB for its weights alone, and {device} has {free / GIB:.1f} free: "
            f"use {way}"
        )


def count_weight_bytes(place: Path) -> int:
    """Bytes of all weight files of a pipeline's folder."""
    return sum(file.stat().st_size for pattern in WEIGHTS for file in place.rglob(pattern))


def read_free_bytes(device: torch.device) -> int | None:
    """Free bytes of the device; None where nothing tells."""
    if device.type == "cuda":
        return torch.cuda.mem_get_info(device)[0]
    if device.type == "cpu" and MEMINFO.is_file():
        found = next((line for line in MEMINFO.read_text().splitlines() if line.startswith("MemAvailable:")), "")
        return int(found.split()[1]) * 1024 if found else None
    return None
