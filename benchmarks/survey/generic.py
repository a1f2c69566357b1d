"""Build a tiny pipeline of any class, and run it: from the annotations of its parts and the names of its arguments.

What cannot be read from there is in a template: a tiny pipeline with the same denoiser class.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import diffusers
import torch
from diffusers import ModelMixin, SchedulerMixin
from tests.tiny.common import NEGATIVE, component, ready
from tests.tiny.zoo.case import PROMPT, Case, drawn

from benchmarks.survey.control import build_control
from benchmarks.survey.media import MEDIA
from benchmarks.survey.text_parts import build_text_part

STEPS = 12
STEP_COUNTS = tuple(f"{part}num_inference_steps" for part in ("", "prior_", "decoder_", "super_res_"))
STEERING = ("controlnet", "adapter")  # parts made of the denoiser
LEFT_OUT = ("safety_checker", "watermarker")  # optional, and of no interest to a cache


@dataclass(frozen=True)
class Recipe:
    """What a class needs beyond its template."""

    template: str = ""  # the pipeline whose parts and arguments are taken; empty: any with the same denoiser
    models: Mapping[str, Any] = field(default_factory=dict)  # component -> (class, config)
    changes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # component -> other sizes than usual
    parts: Mapping[str, Any] = field(default_factory=dict)  # component -> function that builds it
    attributes: Mapping[str, Any] = field(default_factory=dict)  # set on the pipeline
    constants: Mapping[str, Any] = field(default_factory=dict)  # of the pipeline's module, where its own are not tiny
    scheduler: tuple[str, Mapping[str, Any]] | None = None
    call: Mapping[str, Any] = field(default_factory=dict)
    media: Mapping[str, Any] = field(default_factory=dict)  # argument -> function that builds it
    by_steps: Mapping[str, Any] = field(default_factory=dict)  # argument -> function of the number of steps
    without: tuple[str, ...] = ()  # arguments that are not given, components that are None
    text: bool = False  # the text is encoded by tiny encoders: embeddings cannot be given
    prepare: Callable[[Any, int], Mapping[str, Any]] | None = None  # before each call: (pipe, steps) -> arguments
    told: Mapping[str, Any] = field(default_factory=dict)  # what `enable` has to be told
    note: str = ""  # for the table


@dataclass(frozen=True)
class TinyPipeline:
    """A pipeline class with a template and a recipe."""

    kind: type
    template: Case
    recipe: Recipe
    configs: Mapping[str, Any]  # class of a model -> its tiny configuration

    @property
    def told(self) -> Mapping[str, Any]:
        """What `enable` has to be told."""
        return self.recipe.told or self.template.told

    @property
    def note(self) -> str:
        """A remark for the table."""
        return self.recipe.note or self.template.note

    @property
    def call_parameters(self) -> Mapping[str, inspect.Parameter]:
        """What the call takes."""
        return inspect.signature(self.kind.__call__).parameters

    @property
    def takes_embeddings(self) -> bool:
        """Whether the prompt can be given encoded."""
        return not self.recipe.text and any(name in self.call_parameters for name in self.template.text)

    def build(self) -> Any:
        """A pipeline with seeded weights."""
        hints = read_annotations(self.kind)
        given: dict[str, Any] = {}
        for seed, (name, parameter) in enumerate(inspect.signature(self.kind.__init__).parameters.items()):
            if name != "self" and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                part = self._build_component(name, hints.get(name, ()), seed)
                if part is not None or parameter.default is parameter.empty:
                    given[name] = part
        steering = [name for name, part in given.items() if part is None and name in STEERING]
        given |= {name: build_control(hints[name], given, seed) for seed, name in enumerate(steering)}
        pipe = ready(self.kind(**given))
        for name, value in {**self.template.attributes, **self.recipe.attributes}.items():
            setattr(pipe, name, value)
        return pipe

    def _build_component(self, name: str, kinds: tuple[type, ...], seed: int) -> Any:
        parts = {**self.template.parts, **self.recipe.parts}
        if name in self.recipe.without or (name in LEFT_OUT and name not in parts):
            return None
        if name in parts:
            return parts[name]()
        allowed = {kind.__name__ for kind in kinds}
        fitting = {part: model for part, model in self.template.models.items() if model[0] in allowed or not allowed}
        if model := {**fitting, **self.recipe.models}.get(name):
            changes = self.recipe.changes.get(name, {})
            kind = next((each for each in kinds if each.__name__ == model[0]), model[0])  # not all are exported
            return build_model(kind, {**model[1], **changes}, seed=seed)
        if name == "scheduler":
            kind, config = self.recipe.scheduler or self.template.scheduler
            return getattr(diffusers, kind)(**config)
        return self._build_by_class(name, kinds, seed)

    def _build_by_class(self, name: str, kinds: tuple[type, ...], seed: int) -> Any:
        for kind in kinds:
            if issubclass(kind, SchedulerMixin):
                return kind()
            if issubclass(kind, ModelMixin) and kind.__name__ in self.configs:
                config = {**self.configs[kind.__name__], **self.recipe.changes.get(name, {})}
                return build_model(kind.__name__, config, seed=seed)
        return None if self.takes_embeddings else build_text_part(name, kinds)

    def run(self, pipe: Any, steps: int = STEPS) -> Any:
        """A full run of one sample."""
        known, module = self.call_parameters, sys.modules[self.kind.__module__]
        needed = {name for name, parameter in known.items() if is_needed(parameter)}
        with mock.patch.dict(vars(module), self.recipe.constants):
            prepared = self.recipe.prepare(pipe, steps) if self.recipe.prepare else {}
            return pipe(**{**self._build_arguments(steps, known, needed), **prepared})

    def _build_arguments(self, steps: int, known: Collection[str], needed: Collection[str]) -> dict[str, Any]:
        """Of the usual arguments those that the call knows, and those of the recipe."""
        given: dict[str, Any] = {"generator": torch.Generator().manual_seed(0), "output_type": "latent"}
        given |= {**self.template.call, "return_dict": False, **dict.fromkeys(STEP_COUNTS, steps)}
        given |= {name: make() for name, make in MEDIA.items() if name in needed}
        given |= {name: make() for name, make in self.template.media.items()}
        given |= self._build_text()
        given = {name: value for name, value in given.items() if name in known and name not in self.recipe.without}
        given |= {**self.recipe.call, **{name: make() for name, make in self.recipe.media.items()}}
        return given | {name: make(steps) for name, make in self.recipe.by_steps.items()}

    def _build_text(self) -> dict[str, Any]:
        if not self.takes_embeddings:
            return {"prompt": PROMPT, "negative_prompt": NEGATIVE}
        case, given = self.template, {}
        for prefix, prompt in (("", PROMPT), ("negative_", NEGATIVE))[: 1 + case.guided]:
            drawings = {name: drawn(f"{name}:{prompt}", shape) for name, shape in case.text.items()}
            given |= {prefix + name: value[0] if name in case.bare else value for name, value in drawings.items()}
            masks = {name: torch.ones(1, tokens, dtype=torch.bool) for name, tokens in case.masks.items()}
            given |= {prefix + name: value for name, value in masks.items()}
        return {"prompt": None, **given}


def is_needed(parameter: inspect.Parameter) -> bool:
    """Whether an argument of media has to be given: nothing else takes its place."""
    return parameter.default is parameter.empty or parameter.default is None


def build_model(kind: str | type, config: Mapping[str, Any], seed: int) -> Any:
    """A model with seeded weights; `kind` is a class, or the name of one of diffusers."""
    return component(lambda: (getattr(diffusers, kind) if isinstance(kind, str) else kind)(**config), seed=seed)


def read_annotations(kind: type) -> dict[str, tuple[type, ...]]:
    """The classes that the parts of a pipeline may have."""
    try:
        hints = typing.get_type_hints(kind.__init__)
    except NameError:
        hints = {name: each.annotation for name, each in inspect.signature(kind.__init__).parameters.items()}
    return {name: tuple(list_classes(hint)) for name, hint in hints.items()}


def list_classes(hint: Any) -> list[type]:
    """The classes in an annotation."""
    if isinstance(hint, type):
        return [hint] if hint is not inspect.Parameter.empty and hint is not type(None) else []
    return [kind for part in typing.get_args(hint) for kind in list_classes(part)]
