"""A stand-in for what the plug-in meets of WanGP: a pipeline with its loop, a transformer, a plug-in class, a form.

Written from the interface alone; test_wan2gp.py runs WanGP's own where there is a checkout.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor, nn


class WanModel(nn.Module):
    """Takes a list of latents, which it empties: one for each branch, or one at a time; returns a list."""

    def __init__(self, rate: float = 0.3) -> None:
        super().__init__()
        self.rate, self.cache, self.calls = rate, None, list[float]()

    def forward(
        self, x: list[Any], t: Tensor, context: list[Tensor], pipeline: Any = None, current_step_no: int = 0,
        real_step_no: int = 0, x_id: int = 0, callback: Any = None, **given: Any,
    ) -> list[Any]:  # fmt: skip
        latents = list(x)
        x.clear()
        if pipeline is not None and pipeline._interrupt:
            return [None] * len(latents)
        self.calls.append(float(t[0]))
        wave = torch.cos(t[0] / 400)
        return [self.rate * latent + text.mean() * wave for latent, text in zip(latents, context, strict=True)]


class Boxed:
    """An output that is no tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor


class BoxingModel(WanModel):
    """Returns what no cache can predict."""

    def forward(self, *args: Any, **kwargs: Any) -> list[Any]:
        return [Boxed(each) for each in super().forward(*args, **kwargs)]


class Pipeline:
    """As WanGP's pipelines: `generate` with everything by name; the second expert takes the later half."""

    def __init__(self, experts: int = 1) -> None:
        self.model, self._interrupt, self.interrupt_at = WanModel(), False, -1
        if experts == 2:
            self.model2 = WanModel(0.4)

    def generate(self, input_prompt: str = "", sampling_steps: int = 20, guide_scale: float = 5.0, seed: int = 0,
                 joint_pass: bool = False, callback: Any = None, **given: Any) -> Any:  # fmt: skip
        latents = torch.randn(1, 4, 3, 6, 8, generator=torch.Generator().manual_seed(seed))
        context = [torch.full((1, 3, 5), 1.0), torch.full((1, 3, 5), -1.0)]
        for index, time in enumerate(torch.linspace(1000, 1000 / sampling_steps, sampling_steps)):
            self._interrupt = self._interrupt or index == self.interrupt_at
            late = index >= sampling_steps // 2
            trans = getattr(self, "model2", self.model) if late else self.model
            about = {"t": time[None], "pipeline": self, "current_step_no": index, "real_step_no": index}
            branches = range(2 if guide_scale != 1 else 1)
            if joint_pass:
                made = trans(x=[latents for _ in branches], context=context[: len(branches)], **about)
            else:
                made = [trans(x=[latents], context=[context[at]], x_id=at, **about)[0] for at in branches]
            if self._interrupt:
                return None
            made = [each.tensor if isinstance(each, Boxed) else each for each in made]
            noise = made[-1] + (guide_scale * (made[0] - made[-1]) if len(made) == 2 else 0)
            latents = latents - noise / sampling_steps
        return latents

    @property
    def transformers(self) -> list[WanModel]:
        return [self.model, *([self.model2] if hasattr(self, "model2") else [])]

    def count_calls(self) -> int:
        return sum(len(model.calls) for model in self.transformers)


class WAN2GPPlugin:
    """As WanGP's base class of plug-ins."""

    def __init__(self) -> None:
        self.name, self._set_wgp_global_func = "", None
        self._global_requests, self._insert_after_requests = list[str](), list[tuple[str, Any]]()
        self._data_hooks = dict[str, list[Any]]()

    def request_global(self, global_name: str) -> None:
        self._global_requests.append(global_name)

    def set_global(self, variable_name: str, new_value: Any) -> Any:
        return self._set_wgp_global_func(variable_name, new_value) if self._set_wgp_global_func else None

    def register_data_hook(self, hook_name: str, callback: Callable[..., Any]) -> None:
        self._data_hooks.setdefault(hook_name, []).append(callback)

    def insert_after(self, target_component_id: str, new_component_constructor: Callable[..., Any]) -> None:
        self._insert_after_requests.append((target_component_id, new_component_constructor))


class Component:
    """As a component of gradio; keeps what it was made with and what happens on a change."""

    made: ClassVar[list[Component]] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.args, self.kwargs, self.on_change = args, kwargs, None
        self.made.append(self)

    def __enter__(self) -> Component:
        return self

    def __exit__(self, *_: Any) -> None: ...

    def change(self, fn: Any, inputs: Any) -> None:
        self.on_change = fn


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """WanGP's plug-in class and gradio, for as long as a test runs."""
    gradio, plugins = ModuleType("gradio"), ModuleType("shared.utils.plugins")
    vars(gradio).update(dict.fromkeys(("Accordion", "Dropdown", "Textbox"), Component), Error=RuntimeError)
    plugins.WAN2GPPlugin = WAN2GPPlugin
    for name, module in (("gradio", gradio), ("shared.utils.plugins", plugins)):
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("shared", "shared.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for name in [name for name in sys.modules if name in ("wangp.plugin", "wangp.panel")]:
        monkeypatch.delitem(sys.modules, name)
