"""torch.compile: the engine decides on the host, so it stays outside of every graph, and the model stays inside."""

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from navicache.engine.errors import CannotCache

OUTSIDE = (
    "navicache decides on the host at every step, which is no part of a graph. With fullgraph=True compile first, and "
    "call navicache.enable afterwards; or compile the blocks alone: model.compile_repeated_blocks(fullgraph=True)"
)
INSIDE = (
    "this policy reaches inside the model, and torch.compile has made one graph of what it reaches into: compile the "
    "blocks alone, model.compile_repeated_blocks(fullgraph=True), for a policy at the site of the blocks, or use a "
    "policy at the site of the whole model"
)


def plainly(function: Callable[..., Any], *args: Any) -> Any:
    """Call it."""
    return function(*args)


def outside_graphs() -> Callable[..., Any]:
    """`plainly`, but where Dynamo is tracing it runs what it is given as it is, and traces on afterwards.

    Loads Dynamo, which takes a while where nothing else has.
    """
    return torch.compiler.disable(plainly, reason=OUTSIDE)


def refuse() -> NoReturn:
    """To be called from where a trace cannot be borne: a graph would hold the decisions of the step it was made at."""
    raise CannotCache(INSIDE)


def refuse_in_graphs() -> Callable[..., Any]:
    """`refuse`, for code that Dynamo traces: made beforehand, since a trace cannot make it."""
    return torch.compiler.disable(refuse, reason=INSIDE)
