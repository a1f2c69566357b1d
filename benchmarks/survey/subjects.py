"""The pipeline classes of the installed diffusers, each with its tiny build."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import diffusers
from diffusers import DiffusionPipeline, ModularPipeline
from tests.tiny import TINY
from tests.tiny.zoo import ZOO
from tests.tiny.zoo.case import Case

from benchmarks.survey.generic import STEPS, Recipe, TinyPipeline, read_annotations
from benchmarks.survey.measure import Subject
from benchmarks.survey.modular import TinyModular, read_specifications
from benchmarks.survey.recipes import RECIPES
from benchmarks.survey.templates import CONFIGS, TEMPLATES

OTHERS = ("SanaWMLTX2Refiner",)  # classes without the word in their names
DENOISERS = ("transformer", "unet", "prior", "decoder")
IN_DEPTH = {  # the families that the tests have builds of their own for
    "CogVideoXPipeline": "cogvideox",
    "FluxPipeline": "flux",
    "HunyuanVideoPipeline": "hunyuan",
    "LTXPipeline": "ltx",
    "MochiPipeline": "mochi",
    "WanImageToVideoPipeline": "wan_i2v",
    "WanPipeline": "wan",
    "ZImagePipeline": "zimage",
}


@dataclass(frozen=True)
class TestedPipeline:
    """A class that the tests have a tiny build of: the survey runs what they run."""

    build: Callable[[], Any]
    call: Callable[..., Any]  # (pipe, the number of steps by name)
    steps_name: str
    told: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    def run(self, pipe: Any, steps: int = STEPS) -> Any:
        """A full run of one sample."""
        return self.call(pipe, **{self.steps_name: steps})


def list_classes(base: type) -> dict[str, type]:
    """The classes of diffusers below a base, by name."""
    found = {name: getattr(diffusers, name) for name in dir(diffusers) if "Pipeline" in name or name in OTHERS}
    classes = {name: kind for name, kind in found.items() if isinstance(kind, type)}
    return {name: kind for name, kind in classes.items() if issubclass(kind, base) and kind is not base}


def all_templates() -> Iterator[Case]:
    """The tests' own tiny pipelines, then those of the survey."""
    yield from ZOO.values()
    yield from TEMPLATES


def collect_configs() -> dict[str, Mapping[str, Any]]:
    """A tiny configuration for every class of a model that has one."""
    found: dict[str, Mapping[str, Any]] = {}
    for case in all_templates():
        for kind, config in case.models.values():
            found.setdefault(kind, config)
    return {**found, **CONFIGS}


def find_subject(name: str, kind: type) -> Subject | None:
    """The tests' tiny build of a class, or one from a template; None if there is no template for its denoiser."""
    recipe = RECIPES.get(name, Recipe())
    if name not in RECIPES and (tested := find_tested(name)):
        return tested
    template = find_template(name, kind, recipe)
    build = TinyModular if issubclass(kind, ModularPipeline) else TinyPipeline
    return None if template is None else build(kind, template, recipe, collect_configs())


def find_tested(name: str) -> TestedPipeline | None:
    """What the tests have for a class."""
    if name in IN_DEPTH:
        tiny = TINY[IN_DEPTH[name]]
        return TestedPipeline(tiny.build, tiny.call, "steps")
    case = next((case for case in ZOO.values() if case.pipeline == name and not case.label), None)
    if case is None:
        return None
    return TestedPipeline(case.build, case.run_all, "num_inference_steps", case.told, case.note)


def find_template(name: str, kind: type, recipe: Recipe) -> Case | None:
    """The case of this class, the one that the recipe names, or one with the same denoiser and most like by name."""
    cases = list(all_templates())
    for wanted in (name, recipe.template):
        for case in cases:
            if case.pipeline == wanted and not case.label:
                return case
    hints = (read_specifications if issubclass(kind, ModularPipeline) else read_annotations)(kind)
    for part in DENOISERS:
        classes = {each.__name__ for each in hints.get(part, ())}
        alike = [case for case in cases if part in case.models and case.models[part][0] in classes]
        if alike:
            return max(alike, key=lambda case: count_common_start(case.pipeline, name))
    return None


def count_common_start(one: str, other: str) -> int:
    """How many letters two names begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def list_pipelines() -> dict[str, type]:
    """All classes, standard ones first."""
    return list_classes(DiffusionPipeline) | list_classes(ModularPipeline)
