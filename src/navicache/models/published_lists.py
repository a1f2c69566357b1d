"""Steps that others compute on published weights, read from data/published_lists.json.

One study (arXiv:2609.39343) published which of 50 steps ten methods compute on four models; the file names the study's
repository and commit, and for each list the file it was read from.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

# A search tries lists and compares final outputs; a plan minimises a cost over recorded runs; of a gate, which decides
# anew for every prompt, it is the list chosen most often.
ListKind = Literal["searched", "planned", "gate"]


@dataclass(frozen=True)
class PublishedList:
    """Steps of a run that a method computes on a model; it reuses the others.

    Example:
        >>> found = next(entry for entry in read_published_lists() if entry.kind == "searched" and entry.computed == 9)
        >>> found.model, found.method, found.at
        ('FLUX.1-dev', 'hill_climbing', (0, 1, 2, 3, 5, 8, 13, 27, 49))
    """

    model: str  # by its authors' name
    method: str
    kind: ListKind
    at: tuple[int, ...]  # computed steps, counted from 0
    total: int  # steps of the run
    call: str  # the size, sampler and guidance it was made for
    how: str  # it was made, and by whom
    source: str  # repository, commit and file

    @property
    def computed(self) -> int:
        """How many steps are computed."""
        return len(self.at)


@cache
def read_published_lists() -> tuple[PublishedList, ...]:
    """Read all lists, by model and method; those with more computed steps first.

    Example:
        >>> len(read_published_lists()), {entry.total for entry in read_published_lists()}
        (55, {50})
    """
    data: dict[str, Any] = json.loads(
        files("navicache.models").joinpath("data", "published_lists.json").read_text("utf-8")
    )
    origin = f"{data['repository']} at {data['commit'][:7]}"
    return tuple(
        PublishedList(
            model=entry["model"],
            method=entry["method"],
            at=tuple(at),
            total=data["total"],
            call=data["calls"][entry["model"]],
            source=f"{origin}, {entry['file']}",
            **data["methods"][entry["method"]],
        )
        for entry in data["lists"]
        for at in entry["at"]
    )
