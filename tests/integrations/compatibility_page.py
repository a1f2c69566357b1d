"""`python -m tests.integrations.compatibility_page`: run the survey over everything and write docs/compatibility.md."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import diffusers
import torch
from tests.integrations.survey import AFTER_FIRST, STACK, WHOLE, Subject, subjects, survey

import navicache

PAGE = Path(__file__).parents[2] / "docs" / "compatibility.md"
HEAD = """# Compatibility

Written by `python -m tests.integrations.compatibility_page` from a run with navicache {navicache},
diffusers {diffusers} and torch {torch}; the same checks are `tests/integrations/test_compatibility.py`.

How: the real pipeline class with tiny random weights on the CPU, {steps} steps, guidance where the class has it. Each
column is run twice with the cache on: no error, both runs equal bit for bit, steps really reused, shape and dtype kept,
and after `disable` the result is bit for bit what it was before. A refusal is a clear error of `enable` or of the first
call, after which the pipeline works as before. This says that the cache works there, nothing about quality: the weights
are random.

* whole call: `enable(pipe, "static", interval=2)` and `enable(pipe, "inertial", speedup=2.0)`
* block stack: `enable(pipe, "inertial", speedup=2.0, site="blocks")`
* after the first block: `enable(pipe, "firstblockcache", threshold=0.9)`

| pipeline | class | whole call | block stack | after the first block | note |
|---|---|---|---|---|---|
"""
SHORT = {  # reasons as they fit a cell
    "cannot find the transformer blocks": "refused: no list of transformer blocks, a U-Net",
    "the blocks lay their tokens out anew": "refused: tokens are laid out anew between blocks",
    "something is added between the blocks": "refused: control signals are added between blocks",
    "blocks return 1 more tensors": "refused: blocks return sound beside video",
}


def rows() -> Iterator[tuple[str, ...]]:
    """Name, class, the three outcomes and what there is to say, of every pipeline."""
    for subject in subjects():
        whole = [survey(subject, policy, knobs) for policy, knobs in WHOLE]
        sites = [survey(subject, policy, knobs) for policy, knobs in (STACK, AFTER_FIRST)]
        worked = cell("".join(whole)) if not subject.note or any(whole) else "works, see note"
        yield f"`{subject.name}`", class_of(subject), worked, *map(cell, sites), subject.note


def class_of(subject: Subject) -> str:
    """The class of the pipeline and of what it denoises with."""
    pipe = subject.build()
    models = (pipe.components.get(name) for name in ("transformer", "unet", "prior"))
    return f"{type(pipe).__name__} ({type(next(model for model in models if model is not None)).__name__})"


def cell(reason: str) -> str:
    """An outcome in a few words; an unknown reason in full."""
    known = next((short for start, short in SHORT.items() if reason.startswith(start)), f"refused: {reason}")
    return known if reason else "works"


def write() -> None:
    """The table and a line that counts; sections below it were written by hand, and stay."""
    table = list(rows())
    refused = [sum(row[column].startswith("refused") for row in table) for column in (2, 3, 4)]
    noted = sum(row[2] == "works, see note" for row in table)
    lines = "".join(f"| {' | '.join(row)} |\n" for row in table)
    versions = {"navicache": navicache.__version__, "diffusers": diffusers.__version__, "torch": torch.__version__}
    tail = (
        f"\n{len(table)} pipelines. Whole call: {len(table) - refused[0] - noted} work, {noted} work with a note, "
        f"{refused[0]} refused. Block stack: {refused[1]} refused. After the first block: {refused[2]} refused.\n"
    )
    _, mark, sections = PAGE.read_text(encoding="utf-8").partition("\n## ")
    PAGE.write_text(HEAD.format(**versions, steps=12) + lines + tail + mark + sections, encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")  # of diffusers; the tests see them
    write()
