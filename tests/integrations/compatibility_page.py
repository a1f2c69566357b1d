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

The cache works on every pipeline class that was tried. The table shows three places where it can be put:

* whole call (default): `enable(pipe, "static", interval=2)` and `enable(pipe, "inertial", speedup=2.0)`
* block stack: `enable(pipe, "inertial", speedup=2.0, site="blocks")`
* after the first block: `enable(pipe, "firstblockcache", threshold=0.9)`

Each cell is tested on the real pipeline class with tiny random weights, {steps} steps on a CPU, with guidance if the
class has it: two cached runs are bit-equal, steps are reused, shape and dtype are kept, and after `disable` the output
is bit-equal to the run before. "Refused" is an error that leaves the pipeline unchanged. Random weights say nothing
about quality.

`python -m tests.integrations.compatibility_page` writes this page, here with navicache {navicache},
diffusers {diffusers} and torch {torch}. `tests/integrations/test_compatibility.py` has the same checks. For
a model that is not listed, run `navicache doctor MODEL`.

| pipeline | class | whole call | block stack | after the first block | note |
|---|---|---|---|---|---|
"""
SHORT = {  # reasons as they fit a cell
    "cannot find the transformer blocks": "refused: a U-Net has no list of blocks",
    "the blocks lay their tokens out anew": "refused: tokens are rearranged between blocks",
    "something is added between the blocks": "refused: control signals are added between blocks",
    "blocks return 1 more tensors": "refused: blocks also return sound",
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
