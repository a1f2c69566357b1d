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
WHOLE_CALL = "whole call"
HEAD = """# Compatibility

The cache works on every pipeline class that was tried. It can be put in three places; "all" means that all three work:

* whole call (default): `enable(pipe, "static", interval=2)` and `enable(pipe, "inertial", speedup=2.0)`
* block stack: `enable(pipe, "inertial", speedup=2.0, site="blocks")`
* after the first block: `enable(pipe, "firstblockcache", threshold=0.9)`

Each place is tested on the real pipeline class with tiny random weights, {steps} steps on a CPU, with guidance if the
class has it: two cached runs are bit-equal, steps are reused, shape and dtype are kept, and after `disable` the output
is bit-equal to the run before. If a place is refused, the error leaves the pipeline unchanged. Random weights say
nothing about quality.

`python -m tests.integrations.compatibility_page` writes this page, here with navicache {navicache},
diffusers {diffusers} and torch {torch}. `tests/integrations/test_compatibility.py` has the same checks. For
a model that is not listed, run `navicache doctor MODEL`.

| pipeline | class | works |
|---|---|---|
"""
REASONS = {  # of a refusal, as they fit a cell
    "cannot find the transformer blocks": "a U-Net has no list of blocks",
    "the blocks lay their tokens out anew": "tokens are rearranged between blocks",
    "something is added between the blocks": "control signals are added between blocks",
    "blocks return 1 more tensors": "blocks also return sound",
}


def rows() -> Iterator[tuple[str, ...]]:
    """Name, class, and what works, of every pipeline."""
    for subject in subjects():
        refused = {place: reason for place, reason in outcomes(subject).items() if reason}
        yield f"`{subject.name}`", class_of(subject), "; ".join(filter(None, [describe(refused), subject.note]))


def outcomes(subject: Subject) -> dict[str, str]:
    """Why a place is refused, by the place; empty where it works."""
    whole = "".join(survey(subject, policy, knobs) for policy, knobs in WHOLE)
    return {WHOLE_CALL: whole, "block stack": survey(subject, *STACK), "after first": survey(subject, *AFTER_FIRST)}


def class_of(subject: Subject) -> str:
    """The class of the pipeline."""
    return type(subject.build()).__name__


def describe(refused: dict[str, str]) -> str:
    """What works, in a few words; an unknown reason in full."""
    if not refused:
        return "all"
    reasons = {shorten(reason) for reason in refused.values()}
    if WHOLE_CALL in refused or len(refused) == 1 or len(reasons) > 1:
        return "; ".join(f"{place} refused: {shorten(reason)}" for place, reason in refused.items())
    return f"{WHOLE_CALL} only: {reasons.pop()}"


def shorten(reason: str) -> str:
    """A reason as it fits a cell."""
    return next((short for start, short in REASONS.items() if reason.startswith(start)), reason)


def write() -> None:
    """The table and a line that counts; sections below it were written by hand, and stay."""
    table = list(rows())
    everywhere = sum(works.startswith("all") for *_, works in table)
    limited = sum(works.startswith(f"{WHOLE_CALL} only") for *_, works in table)
    lines = "".join(f"| {' | '.join(row)} |\n" for row in table)
    versions = {"navicache": navicache.__version__, "diffusers": diffusers.__version__, "torch": torch.__version__}
    tail = f"\n{len(table)} pipelines. {everywhere} work in all places, {limited} with the whole call only.\n"
    _, mark, sections = PAGE.read_text(encoding="utf-8").partition("\n## ")
    PAGE.write_text(HEAD.format(**versions, steps=12) + lines + tail + mark + sections, encoding="utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")  # of diffusers; the tests see them
    write()
