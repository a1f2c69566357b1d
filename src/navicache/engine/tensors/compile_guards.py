"""torch.compile: the engine decides on the host, so it stays outside of every graph, and the model stays inside."""

from collections.abc import Callable
from typing import Any, NoReturn

import torch

from navicache.engine.errors import CannotCache

GRAPH_BREAK_MESSAGE = (
    "navicache decides on the host at every step, which is no part of a graph. With fullgraph=True compile first, and "
    "call navicache.enable afterwards; or compile the blocks alone: model.compile_repeated_blocks(fullgraph=True)"
)
COMPILED_MODEL_MESSAGE = (
    "this policy reaches inside the model, and torch.compile has made one graph of what it reaches into: compile the "
    "blocks alone, model.compile_repeated_blocks(fullgraph=True), for a policy at the site of the blocks, or use a "
    "policy at the site of the whole model"
)


def call_directly(function: Callable[..., Any], *args: Any) -> Any:
    """Call it."""
    return function(*args)


def create_uncompiled_caller() -> Callable[..., Any]:
    """Create a caller like `call_directly` that Dynamo does not trace: the graph breaks around it.

    Loads Dynamo, which takes a while if nothing else has loaded it.
    """
    return torch.compiler.disable(call_directly, reason=GRAPH_BREAK_MESSAGE)


def raise_compiled_model() -> NoReturn:
    """Raise in code that must not be compiled: a graph would contain the decisions of one step."""
    raise CannotCache(COMPILED_MODEL_MESSAGE)


def create_compile_refusal() -> Callable[..., Any]:
    """`raise_compiled_model`, for code that Dynamo traces: made beforehand, since a trace cannot make it."""
    return torch.compiler.disable(raise_compiled_model, reason=COMPILED_MODEL_MESSAGE)
