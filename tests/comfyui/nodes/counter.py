"""Count what reaches the transformer, below any cache."""

from typing import Any

import torch
from comfy.patcher_extension import WrappersMP
from comfy_api.latest import io, ui

KEY = "pocket counter"


class Counter:
    """A wrapper around the transformer; guidance branches are counted each."""

    def __init__(self) -> None:
        self.rows = 0

    def __call__(self, executor: Any, x: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        self.rows += len(x)
        return executor(x, *args, **kwargs)


def counted(model: Any) -> Any:
    """A clone that counts; what is wrapped last lies innermost."""
    clone = model.clone()
    clone.add_wrapper_with_key(WrappersMP.DIFFUSION_MODEL, KEY, Counter())
    return clone


def count(model: Any) -> int:
    """How many rows there were since it began to count."""
    return model.get_wrappers(WrappersMP.DIFFUSION_MODEL, KEY)[0].rows


class PocketCounter(io.ComfyNode):
    """A model that counts its evaluations from now on."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        return io.Schema(
            node_id="PocketCounter",
            category="navicache/tests",
            inputs=[io.Model.Input("model")],
            outputs=[io.Model.Output()],
            not_idempotent=True,
        )

    @classmethod
    def fingerprint_inputs(cls, **inputs: Any) -> float:
        return float("nan")  # a new counter for every run

    @classmethod
    def execute(cls, model: Any) -> io.NodeOutput:
        return io.NodeOutput(counted(model))


class PocketCount(io.ComfyNode):
    """How often the transformer ran for `after`, guidance branches counted each."""

    @classmethod
    def define_schema(cls) -> io.Schema:
        inputs = [io.Model.Input("model"), io.Latent.Input("after")]
        return io.Schema(node_id="PocketCount", category="navicache/tests", is_output_node=True, inputs=inputs)

    @classmethod
    def execute(cls, model: Any, after: dict[str, Any]) -> io.NodeOutput:
        return io.NodeOutput(ui=ui.PreviewText(str(count(model))))
