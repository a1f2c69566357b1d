"""Convert published checkpoints to one diffusers folder."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from navicache_opensora.pipeline import OpenSoraPipeline
from navicache_opensora.published import TEXT_COMPONENTS, find_components, load_components, load_model

Log = Callable[[str], None]


def convert_checkpoints(
    source: Path, out: Path, dtype: torch.dtype | None = None, log: Log = lambda line: None
) -> None:
    """Convert a published transformer or VAE, or a folder that holds both, to a diffusers folder.

    A text encoder and its tokenizer in the same folder are converted too. `out` exists only once it is complete.
    """
    if not source.is_dir():
        raise ValueError(f"no folder {source}: give the folder of a published checkpoint, or one that holds several")
    found = find_components(source)
    for component, folder in found.items():
        log(f"{component}: {folder}")
    with create_folder_atomically(out) as target:
        if source not in found.values():
            components = load_components(source, dtype)
            if None in [components[component] for component in TEXT_COMPONENTS]:
                log("no text encoder and tokenizer found: pass them to from_pretrained, or give prompt_embeds")
            OpenSoraPipeline(**components).save_pretrained(target)
        else:
            ((component, folder),) = found.items()
            load_model(component, folder, dtype).save_pretrained(target)


@contextmanager
def create_folder_atomically(out: Path) -> Iterator[Path]:
    """A temporary folder that is renamed to `out` on success and removed on an error."""
    out = out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} exists already: name another folder, or remove it first")
    if not out.parent.is_dir():
        raise ValueError(f"cannot write {out}: there is no folder {out.parent}; make it first")
    partial = out.with_name(f".{out.name}.partial-{os.getpid()}")
    partial.mkdir()
    try:
        yield partial
        if out.exists():
            out.rmdir()  # empty; not every system renames over it
        partial.rename(out)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
