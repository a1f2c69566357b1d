"""Load a pipeline from an embedded checkpoint, a folder or the hub, in one dtype, on its device."""

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import torch

from navicache.generation.index_checks import (
    OPENSORA_PIPELINE,
    find_pipeline_class,
    list_components,
    list_index_problems,
)
from navicache.generation.job import ModelSource
from navicache.generation.memory_errors import is_out_of_memory
from navicache.generation.scheduler import load_shifted_scheduler, set_flow_shift
from navicache.pocket.members import Member

MODEL_INDEX = "model_index.json"
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
FLOAT32_VAES = ("AutoencoderKLWan",)  # diffusers' own Wan examples keep it so: it costs little and shows in the picture


def load_pipeline(source: ModelSource) -> Any:
    """The pipeline, ready to be called.

    Every component is loaded in one dtype, the text encoder too, whatever the checkpoint was saved in. Wan's VAE is
    the exception: it stays in float32.
    """
    device = choose_device(source)
    dtype = choose_dtype(source, device)
    place = locate_model(source)
    index = read_model_index(place)
    own = {} if source.shift is None else {"scheduler": load_shifted_scheduler(place, index, source.shift)}
    if problems := list_index_problems(index, place):
        raise ValueError(f"cannot load {source.model}: {'; '.join(problems)}")
    vae = list_components(index).get("vae", ("", ""))[1]
    if not sys.stderr.isatty():
        hide_loading_bars()
    dtypes = {"default": dtype, **({"vae": torch.float32} if vae in FLOAT32_VAES else {})}
    try:
        pipe = _pipeline_class(index).from_pretrained(str(place), dtype=dtypes, **own)
    except Exception as error:  # of four libraries, about files that anybody may have written
        if is_out_of_memory(error):
            raise
        raise ValueError(f"cannot load {source.model}: {type(error).__name__}: {error}") from error
    if source.member and source.member.base:
        _apply_adapter(pipe, source, source.member)
    place_pipeline(pipe, device, source.offload)
    return pipe


def _apply_adapter(pipe: Any, source: ModelSource, member: Member) -> None:
    from navicache.pocket import checkpoint_path

    adapter = importlib.import_module("navicache_pocket.train.turbo.pipeline")  # it is installed where the weights are
    adapter.apply_adapter(pipe, checkpoint_path(member.name))
    if source.shift is not None:
        pipe.register_modules(scheduler=set_flow_shift(pipe.scheduler, source.shift))


def hide_loading_bars() -> None:
    """Hide the progress bars of diffusers and transformers, which fill a log file with lines."""
    import diffusers.utils.logging
    import transformers.utils.logging

    for logging in (diffusers.utils.logging, transformers.utils.logging):
        logging.disable_progress_bar()


def _pipeline_class(index: dict[str, Any]) -> Any:
    """Ours by name, which diffusers does not know; it finds all others."""
    from diffusers import DiffusionPipeline

    return find_pipeline_class(index) if index.get("_class_name") == OPENSORA_PIPELINE else DiffusionPipeline


def choose_device(source: ModelSource) -> torch.device:
    """The requested device, if this machine has it; auto takes an accelerator if there is one."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    automatic = accelerator or torch.device("cpu")
    device = automatic if source.device == "auto" else _parse_device(source.device)
    if device.type != "cpu" and (accelerator is None or device.type != accelerator.type):
        have = f"cpu and {accelerator.type}" if accelerator else "cpu only"
        raise ValueError(f"this machine has no {source.device} (PyTorch sees {have}): choose another --device")
    if device.index is not None and device.index >= torch.accelerator.device_count():
        raise ValueError(f"this machine has no {source.device}, only {torch.accelerator.device_count()} of its kind")
    if source.offload != "none" and device.type == "cpu":
        raise ValueError(f"--offload {source.offload} moves weights to an accelerator, and the device is the CPU")
    return device


def _parse_device(name: str) -> torch.device:
    if name.partition(":")[0] not in ("cpu", "cuda", "mps"):
        raise ValueError(f"unknown device {name!r}: give auto, cpu, cuda, cuda:1 or mps")
    try:
        return torch.device(name)
    except RuntimeError as error:
        raise ValueError(f"unknown device {name!r}: give auto, cpu, cuda, cuda:1 or mps") from error


def choose_dtype(source: ModelSource, device: torch.device) -> torch.dtype:
    """The requested dtype; auto is bfloat16 on accelerators, float32 on the CPU and for embedded models."""
    if source.is_embedded and device.type == "cpu" and source.dtype not in ("auto", "float32"):
        raise ValueError(f"the pocket runs in float32 on the CPU: leave out --dtype {source.dtype}")
    if source.dtype == "auto":
        return torch.float32 if source.is_embedded or device.type == "cpu" else torch.bfloat16
    return DTYPES[source.dtype]


def locate_model(source: ModelSource) -> Path | str:
    """The folder of the model, or its hub id."""
    if source.member:
        from navicache.pocket import checkpoint_path

        return checkpoint_path(source.member.base or source.member.name)
    if not source.model.strip():
        raise ValueError("no model is named: give 'pocket', a diffusers folder, or a hub id such as owner/name")
    try:
        path = Path(source.model).expanduser()
        is_there = path.exists()
    except (OSError, RuntimeError) as error:  # no disk takes such a name, or no such user is here
        raise ValueError(f"no folder {source.model:.80}: {error.args[-1]}") from error
    if path.is_dir():
        return path
    if is_there:
        raise ValueError(f"{source.model} is a file: give the folder of a diffusers pipeline, with {MODEL_INDEX} in it")
    if source.model.count("/") != 1 or source.model.startswith((".", "/", "~")):
        raise ValueError(f"no folder {source.model}: give 'pocket', a diffusers folder, or a hub id such as owner/name")
    return source.model


def read_model_index(place: Path | str) -> dict[str, Any]:
    """The components of the pipeline, read before any weights."""
    file = _download_model_index(place) if isinstance(place, str) else place / MODEL_INDEX
    if not file.is_file():
        raise ValueError(
            f"{place} is no diffusers pipeline: it holds no {MODEL_INDEX} (single files: convert them first)"
        )
    try:
        index = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is damaged, get it again: {error}") from error
    if type(index) is not dict:
        raise ValueError(f"{file} is damaged, get it again: it holds no object of components")
    return index


def _download_model_index(name: str) -> Path:
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url, try_to_load_from_cache
    from huggingface_hub.errors import EntryNotFoundError, HTTPError

    try:
        if not isinstance(try_to_load_from_cache(name, MODEL_INDEX), str):
            get_hf_file_metadata(hf_hub_url(name, MODEL_INDEX))  # asks once; a download would ask six times in 23 s
        return Path(hf_hub_download(name, MODEL_INDEX))
    except (OSError, HTTPError, EntryNotFoundError) as error:
        raise ValueError(
            f"cannot get {name} from the model hub, and it is neither a folder here nor downloaded before: check the "
            f"name and the network, or give the path of a diffusers folder ({type(error).__name__})"
        ) from error


def place_pipeline(pipe: Any, device: torch.device, offload: str) -> None:
    """Move the pipeline to its device, whole or with offloading."""
    ways = {
        "none": lambda: pipe.to(device),
        "model": lambda: pipe.enable_model_cpu_offload(device=device),
        "sequential": lambda: pipe.enable_sequential_cpu_offload(device=device),
        "group": lambda: pipe.enable_group_offload(onload_device=device, offload_type="leaf_level"),
    }
    ways[offload]()
