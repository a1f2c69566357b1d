"""A tiny pipeline as data: classes and configs of its parts, and the arguments of its call."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import diffusers
import torch
from diffusers import DiffusionPipeline
from tests.tiny.common import NEGATIVE, component, ready

STEPS = 12
PROMPT = "a cat"
Config = Mapping[str, Any]
Shape = tuple[int, ...]
FLOW = ("FlowMatchEulerDiscreteScheduler", {"shift": 3.0})
SHIFTED = ("FlowMatchEulerDiscreteScheduler", {"use_dynamic_shifting": True})
DDIM = ("DDIMScheduler", {"clip_sample": False, "beta_schedule": "scaled_linear", "steps_offset": 1})
FLOW_DPM = ("DPMSolverMultistepScheduler", {"use_flow_sigmas": True, "prediction_type": "flow_prediction"})


@dataclass(frozen=True)
class Case:
    """One pipeline class; what it needs and is not named here is None."""

    pipeline: str
    models: Mapping[str, tuple[str, Config]]  # component -> class of diffusers and its config
    scheduler: tuple[str, Config]
    text: Mapping[str, Shape]  # prompt embeddings of one sample, drawn from the prompt
    masks: Mapping[str, int] = field(default_factory=dict)  # token masks, all ones
    call: Config = field(default_factory=dict)
    parts: Mapping[str, Callable[[], Any]] = field(default_factory=dict)  # other components and settings
    media: Mapping[str, Callable[[], Any]] = field(default_factory=dict)  # images and videos given to the call
    guided: bool = True  # whether the call takes a negative prompt's embeddings
    bare: tuple[str, ...] = ()  # text that is given without a leading batch of one
    attributes: Config = field(default_factory=dict)  # set on the pipeline, where its own are not tiny
    told: Config = field(default_factory=dict)  # what `enable` has to be told
    note: str = ""  # for docs/compatibility.md
    label: str = ""  # where one class is tested in two ways

    @property
    def name(self) -> str:
        """The class without the word every class ends in, or what it is called here."""
        return self.label or self.pipeline.removesuffix("Pipeline")

    def build(self) -> DiffusionPipeline:
        """A fresh pipeline with seeded weights."""
        kind = getattr(diffusers, self.pipeline)
        wanted = {p.name: None for p in _parameters(kind) if p.default is p.empty}
        models = {name: _model(*part, seed=seed) for seed, (name, part) in enumerate(self.models.items())}
        scheduler, config = self.scheduler
        parts = {name: make() for name, make in self.parts.items()}
        pipe = kind(**{**wanted, "scheduler": getattr(diffusers, scheduler)(**config), **models, **parts})
        for name, value in self.attributes.items():
            setattr(pipe, name, value)
        return ready(pipe)

    def run(self, pipe: DiffusionPipeline, **extra: Any) -> torch.Tensor:
        """The latents of a full run of one sample; `extra` overrides any argument."""
        output = self.run_all(pipe, **extra)
        return output[0][0] if isinstance(output[0], list) else output[0]

    def run_all(self, pipe: DiffusionPipeline, **extra: Any) -> Any:
        """All that a full run of one sample returns."""
        given: dict[str, Any] = {"generator": torch.Generator().manual_seed(0), "output_type": "latent", **self.call}
        given |= {"num_inference_steps": STEPS, "return_dict": False}
        given |= {name: make() for name, make in self.media.items()}
        for prefix, prompt in (("", PROMPT), ("negative_", NEGATIVE))[: 1 + self.guided]:
            drawings = {name: drawn(f"{name}:{prompt}", shape) for name, shape in self.text.items()}
            given |= {prefix + name: value[0] if name in self.bare else value for name, value in drawings.items()}
            given |= {prefix + name: torch.ones(1, tokens, dtype=torch.bool) for name, tokens in self.masks.items()}
        return pipe(**{**given, **extra})


def drawn(what: str, shape: Shape) -> torch.Tensor:
    """An embedding with a leading batch of one; its tokens share a direction, as in `tests.tiny.common.embed`."""
    generator = torch.Generator().manual_seed(zlib.crc32(what.encode()))
    shared = torch.randn(shape[-1], generator=generator)
    return ((torch.randn(shape, generator=generator) + shared) / 2**0.5)[None]


def _model(kind: str, config: Config, seed: int) -> torch.nn.Module:
    return component(lambda: getattr(diffusers, kind)(**config), seed=seed)


def _parameters(kind: type) -> list[inspect.Parameter]:
    return [p for p in inspect.signature(kind.__init__).parameters.values() if p.name != "self"]
