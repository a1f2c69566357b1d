"""What other nodes do to the weights: LoRA, eight bits, offload, torch.compile. The cache lies above all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from tests.integrations.comfyui.loops import counts, generate, relative
from tests.integrations.comfyui.standin import APPLY_MODEL, Model, Network, Patcher
from torch import Tensor, nn

from navicache_comfyui import attach, last_run


def with_lora(model: Patcher, strength: float) -> Patcher:
    """As a LoRA node does it: on a clone."""
    clone = model.clone()
    clone.patches["weight"] = strength
    return clone


@pytest.mark.parametrize("order", ["before", "after"])
def test_lora(order: str) -> None:
    model, plain = Patcher(Model()), Patcher(Model())
    patched = (
        attach(with_lora(model, 0.2), speedup=2.0) if order == "before" else with_lora(attach(model, speedup=2.0), 0.2)
    )
    truth = generate(with_lora(plain, 0.2))
    assert relative(generate(patched), truth) < 0.03 < relative(generate(plain), truth)
    assert counts(patched) == [(20, 10)]


def test_a_lora_of_another_strength_in_a_second_sampler() -> None:
    """Both clones write into one journal: the newest run is told."""
    patched = attach(Patcher(Model()), speedup=2.0)
    weak, strong = with_lora(patched, 0.1), with_lora(patched, 0.3)
    generate(weak)
    first = last_run(strong)
    generate(strong)
    assert first is not None
    assert last_run(weak) is last_run(strong) is not first


def test_weights_of_eight_bits() -> None:
    def eight() -> Patcher:
        network = Network()
        network.weight = nn.Parameter(network.weight.data.to(torch.float8_e4m3fn), requires_grad=False)
        return Patcher(Model(network))

    patched = attach(eight(), speedup=2.0)
    assert relative(generate(patched), generate(eight())) < 0.03
    assert counts(patched) == [(20, 10)]


def test_half_precision_inside() -> None:
    """ComfyUI hands latents in float32 to a model that works in bfloat16: predictions are made above that."""

    class Half(Network):
        def forward(self, x: Tensor, time: Tensor, context: Tensor, control: Tensor | None = None) -> Tensor:
            return super().forward(x.bfloat16(), time, context.bfloat16(), control)

    patched = attach(Patcher(Model(Half())), speedup=2.0)
    video = generate(patched)
    assert video.dtype is torch.float32
    assert relative(video, generate(Patcher(Model(Half())))) < 0.03


def test_offloaded_weights_stay_away_where_nothing_is_computed() -> None:
    loads: list[str] = []
    network = Network()
    network.register_forward_pre_hook(lambda module, args: loads.append("load"))
    patched = attach(Patcher(Model(network)), speedup=2.0)
    generate(patched)
    assert len(loads) == 10


def compiled(model: Patcher, **how: Any) -> Patcher:
    """As the node of torch.compile does it: for as long as the model is called, the compiled one stands in."""
    clone, module = model.clone(), torch.compile(model.model.diffusion_model, **how)

    def wrapper(executor: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        base: Any = executor.class_obj  # pyright: ignore[reportFunctionMemberAccess]
        original, base.diffusion_model = base.diffusion_model, module
        try:
            return executor(*args, **kwargs)
        finally:
            base.diffusion_model = original

    clone.add_wrapper_with_key(APPLY_MODEL, "torch.compile", wrapper)
    return clone


class Quiet(Network):
    """Counts nothing, so that it is one graph."""

    def forward(self, x: Tensor, time: Tensor, context: Tensor, control: Tensor | None = None) -> Tensor:
        bend = torch.sin(2 * time / 1000).reshape(-1, 1, 1, 1)
        return torch.tanh(self.weight * x - context.reshape(-1, 1, 1, 1)) + 0.3 * bend


@pytest.mark.slow
@pytest.mark.parametrize("order", ["before", "after"])
def test_a_compiled_model_stays_one_graph(order: str) -> None:
    graphs: list[object] = []

    def backend(graph: Any, inputs: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    model = Patcher(Model(Quiet()))

    def to_compiled(patcher: Patcher) -> Patcher:
        return compiled(patcher, backend=backend, fullgraph=True)

    def to_cached(patcher: Patcher) -> Patcher:
        return attach(patcher, speedup=2.0)

    first, then = {"before": (to_compiled, to_cached), "after": (to_cached, to_compiled)}[order]
    patched = then(first(model))
    assert relative(generate(patched), generate(Patcher(Model(Quiet())))) < 0.03
    assert counts(patched) == [(20, 10)]
    assert len(graphs) == 1
