"""A stand-in for what the cache meets of ComfyUI: patcher, wrappers, conditionings in batches, a run of a sampler.

Written from the interface alone; the end-to-end tests run the real one.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn

OUTER_SAMPLE, APPLY_MODEL = "outer_sample", "apply_model"
SIGMA_MAX = 1.0


class Executor:
    """A function of ComfyUI's with wrappers around it; calling it goes one wrapper further in."""

    def __init__(self, original: Callable[..., Any], class_obj: object, wrappers: list[Any], index: int = 0) -> None:
        self.original, self.class_obj, self.wrappers, self.index = original, class_obj, wrappers, index

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Executor(self.original, self.class_obj, self.wrappers, self.index + 1).execute(*args, **kwargs)

    def execute(self, *args: Any, **kwargs: Any) -> Any:
        if self.index == len(self.wrappers):
            return self.original(*args, **kwargs)
        return self.wrappers[self.index](self, *args, **kwargs)


def wrappers_in(options: dict[str, Any], kind: str) -> list[Any]:
    return [wrapper for some in options.get("wrappers", {}).get(kind, {}).values() for wrapper in some]


def copied(options: Any) -> Any:
    """Dictionaries and lists anew, all else as it is."""
    match options:
        case dict():
            return {key: copied(value) for key, value in options.items()}
        case list():
            return [*options]
        case _:
            return options


class Network(nn.Module):
    """A smooth field; what it is given as context pulls the latent its own way."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.tensor(0.7))
        self.calls: list[tuple[float, int, Any]] = []  # time, rows and control

    def forward(self, x: Tensor, time: Tensor, context: Tensor, control: Tensor | None = None) -> Tensor:
        self.calls.append((float(time[0]), x.shape[0], control))
        pull = context.reshape(-1, *[1] * (x.ndim - 1))
        bend = torch.sin(2 * time / 1000).reshape(pull.shape)
        return torch.tanh(self.weight.float() * x - pull) + 0.3 * bend + (0.0 if control is None else control)


class Model:
    """ComfyUI's BaseModel of a flow: it is called with noise levels and returns the denoised latent."""

    def __init__(self, network: nn.Module | None = None) -> None:
        self.diffusion_model = network or Network()

    def apply_model(
        self,
        x: Tensor,
        t: Tensor,
        c_concat: Any = None,
        c_crossattn: Any = None,
        control: Any = None,
        transformer_options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> Tensor:
        executor = Executor(self._apply_model, self, wrappers_in(transformer_options or {}, APPLY_MODEL))
        return executor.execute(x, t, c_concat, c_crossattn, control, transformer_options, **kwargs)

    def _apply_model(
        self, x: Tensor, t: Tensor, c_concat: Any, c_crossattn: Any, control: Any, transformer_options: Any
    ) -> Tensor:
        velocity = self.diffusion_model(x, t * 1000, c_crossattn, control)
        return x - velocity.float() * t.reshape(-1, *[1] * (x.ndim - 1))


class Patcher:
    """ComfyUI's ModelPatcher: a handle on a model that nodes clone."""

    def __init__(self, model: Model) -> None:
        self.model, self.patches = model, dict[str, float]()
        self.model_options: dict[str, Any] = {"transformer_options": {}}
        self.wrappers: dict[str, dict[str, list[Any]]] = {}

    def clone(self) -> Patcher:
        clone = Patcher(self.model)
        clone.patches, clone.wrappers = dict(self.patches), copied(self.wrappers)
        clone.model_options = copy.deepcopy(self.model_options)
        return clone

    def add_wrapper_with_key(self, wrapper_type: str, key: str, wrapper: Callable[..., Any]) -> None:
        self.wrappers.setdefault(wrapper_type, {}).setdefault(key, []).append(wrapper)

    def remove_wrappers_with_key(self, wrapper_type: str, key: str) -> None:
        self.wrappers.get(wrapper_type, {}).pop(key, None)

    def get_model_object(self, name: str) -> Any:
        sampling = SimpleNamespace(sigma_max=torch.tensor(SIGMA_MAX), percent_to_sigma=lambda share: 1 - share)
        return {"model_sampling": sampling}[name]


class patched_weights:  # noqa: N801
    """LoRA: weights are changed as long as a patcher samples, and put back."""

    def __init__(self, patcher: Patcher) -> None:
        self.network, self.patches = patcher.model.diffusion_model, patcher.patches

    def __enter__(self) -> None:
        self.backup = {name: self.network.get_parameter(name).data.clone() for name in self.patches}
        for name, change in self.patches.items():
            self.network.get_parameter(name).data += change

    def __exit__(self, *_: object) -> None:
        for name, weight in self.backup.items():
            self.network.get_parameter(name).data.copy_(weight)
