"""Published checkpoints to one diffusers folder."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

from navicache_opensora.pipeline import OpenSoraPipeline
from navicache_opensora.published import TEXT, find_parts, open_model, open_parts

Say = Callable[[str], None]


def convert(source: Path, out: Path, dtype: torch.dtype | None = None, say: Say = lambda line: None) -> None:
    """Write a diffusers folder of a published transformer or VAE, or of a folder that holds both.

    A text encoder and its tokenizer beside them are taken along. `out` appears only when it is complete.
    """
    if not source.is_dir():
        raise ValueError(f"no folder {source}: give the folder of a published checkpoint, or one that holds several")
    found = find_parts(source)
    for part, place in found.items():
        say(f"{part}: {place}")
    with appearing(out) as folder:
        if source not in found.values():
            parts = open_parts(source, dtype)
            if None in [parts[part] for part in TEXT]:
                say("no text encoder and tokenizer found: pass them to from_pretrained, or give prompt_embeds")
            OpenSoraPipeline(**parts).save_pretrained(folder)
        else:
            ((part, place),) = found.items()
            open_model(part, place, dtype).save_pretrained(folder)


@contextmanager
def appearing(out: Path) -> Iterator[Path]:
    """A folder to write to, which takes its name when all went well and is gone when it did not."""
    out = out.absolute()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{out} is there already: name another folder, or remove it first")
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
