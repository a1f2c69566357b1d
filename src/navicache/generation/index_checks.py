"""Check what a pipeline's index names, as loading would look it up: no weight is read, and no code of a model runs."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from navicache.weights_package import OPENSORA_CLASSES, import_opensora

OPENSORA_PIPELINE = "OpenSoraPipeline"
LIBRARIES = ("diffusers", "transformers")
UNKNOWN = "{library} {version} has no such class: a newer one may, or it is custom code"
NOT_RUN = "code that comes with a model is not run here: load the pipeline in Python, and use navicache.enable(pipe)"


def list_components(index: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Library and class of each component; entries of another form are arguments of the pipeline.

    Example:
        >>> list_components({"_class_name": "P", "vae": ["diffusers", "V"], "tiled": [1, 2], "encoder": [None, None]})
        {'vae': ('diffusers', 'V')}
    """
    pairs = {name: value for name, value in index.items() if type(value) is list and len(value) == 2}
    return {name: (pair[0], pair[1]) for name, pair in pairs.items() if {*map(type, pair)} == {str} and name[0] != "_"}


def list_index_problems(index: Mapping[str, Any], place: Path | str) -> list[str]:
    """What keeps the pipeline from being loaded: classes that are not known, and folders that are missing."""
    problems = [] if find_pipeline_class(index) else [_explain_unknown_pipeline(index.get("_class_name"))]
    for name, (library, kind) in list_components(index).items():
        try:
            find_component_class(library, kind)
        except ValueError as error:
            problems.append(f"{name} ({library}, {kind}): {error}")
        if isinstance(place, Path) and not (place / name).is_dir():
            problems.append(f"{name} ({library}, {kind}): its folder {place / name} is missing")
    return problems


def find_pipeline_class(index: Mapping[str, Any]) -> type | None:
    """The class of a pipeline; None if diffusers has no such pipeline."""
    from diffusers import DiffusionPipeline

    name = index.get("_class_name")
    if name == OPENSORA_PIPELINE:
        return import_opensora().OpenSoraPipeline
    kind = getattr(import_module("diffusers"), name, None) if isinstance(name, str) else None
    return kind if isinstance(kind, type) and issubclass(kind, DiffusionPipeline) else None


def _explain_unknown_pipeline(name: object) -> str:
    version = import_module("diffusers").__version__
    return f"diffusers {version} has no pipeline {name!r}: a newer one may, or it is custom code; {NOT_RUN}"


def find_component_class(library: str, kind: str) -> Any:
    """The class of a component; raises ValueError if loading would find none."""
    if kind in OPENSORA_CLASSES:
        return getattr(import_opensora(), kind)
    from diffusers.pipelines.pipeline_loading_utils import simple_get_class_obj

    if library in LIBRARIES and kind in dir(module := import_module(library)):
        return getattr(module, kind)
    try:
        found = simple_get_class_obj(library, kind)  # other folders of diffusers, and former names of transformers
    except (AttributeError, ValueError) as error:
        if library in LIBRARIES:
            raise ValueError(UNKNOWN.format(library=library, version=import_module(library).__version__)) from error
        raise ValueError(f"{library} is no library that diffusers loads from; {NOT_RUN}") from error
    if not callable(getattr(found, "from_pretrained", None)):
        raise ValueError(f"it is no class that can be loaded; {NOT_RUN}")
    return found
