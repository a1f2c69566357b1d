"""A plan out of its TOML file; whatever is not understood is an error that says what is."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, get_args

from navicache.evaluation.bench.plan import Accuracy, Chapter, Clock, Model, Plan, Prompts, Source
from navicache.evaluation.bench.plan_sweeps import conditions_of, settings_of
from navicache.evaluation.bench.plan_values import (
    Read,
    WrongPlan,
    above_zero,
    check_keys,
    count,
    entries,
    gather,
    one_of,
    positive,
    some_of,
    table,
    tables,
    text,
    texts,
    whole,
)
from navicache.evaluation.comparison import METRICS
from navicache.policies import POLICIES


def read_plan(path: Path) -> Plan:
    """The plan in a file; `WrongPlan` names all that is wrong with it."""
    if not path.is_file():
        raise ValueError(f"no plan {path}: give a TOML file (plans/ has some)")
    try:
        return parse_plan(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}") from error
    except WrongPlan as error:
        raise WrongPlan(*(f"{path}: {problem}" for problem in error.problems)) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def parse_plan(content: str) -> Plan:
    """The plan in a text.

    Example:
        >>> plan = parse_plan('''
        ... name = "try"
        ... prompts = { source = "pocket", count = 2 }
        ... models = [{ name = "pocket", model = "pocket" }]
        ... settings = [{ name = "N", policy = "navicache", sweep = { threshold = [0.05, 0.1] } }]
        ... ''')
        >>> [setting.name for setting in plan.settings]
        ['N threshold=0.05', 'N threshold=0.1']
    """
    return _build(Plan, {"settings": None, **tomllib.loads(content)}, "the plan", PLAN)


def _build(kind: Any, value: Any, place: str, reads: Mapping[str, Read]) -> Any:
    required = [entry.name for entry in fields(kind) if entry.name in REQUIRED[kind.__name__]]
    known = {key: entry for key, entry in table(value, place).items() if key in reads}
    read = (partial(reads[key], entry, f"{place}.{key}") for key, entry in known.items())
    _, *found = gather([partial(check_keys, value, place, tuple(reads), required), *read])
    return kind(**dict(zip(known, found, strict=True)))


def _each(value: Any, place: str, build: Callable[[Any, str], Any]) -> list[Any]:
    """What is built of every table of a list."""
    return gather(partial(build, entry, at) for entry, at in tables(value, place))


def _several(value: Any, place: str, build: Callable[[Any, str], Any]) -> tuple[Any, ...]:
    """The same, where a table may stand for several."""
    return tuple(part for parts in _each(value, place, lambda entry, at: list(build(entry, at))) for part in parts)


PROMPTS: dict[str, Read] = {
    "source": one_of(*get_args(Source)),
    "count": positive,
    "file": text,
    "dimensions": texts,
}
MODEL: dict[str, Read] = {
    **dict.fromkeys(("name", "model", "device", "published"), text),
    "dtype": one_of("auto", "float32", "bfloat16", "float16"),
    "offload": one_of("none", "model", "sequential", "group"),
    "fps": positive,
    "batch": positive,
    "shift": above_zero,
    "call": table,
}
ACCURACY: dict[str, Read] = {"prompts": whole, "settings": texts}
CHAPTER: dict[str, Read] = {"title": text, "text": text, "shows": texts}
PLAN: dict[str, Read] = {
    "name": text,
    "prompts": lambda v, place: _build(Prompts, v, place, PROMPTS),
    "models": lambda v, place: tuple(_each(v, place, lambda entry, at: _build(Model, entry, at, MODEL))),
    "conditions": lambda v, place: _several(v, place, conditions_of),
    "seeds": lambda v, place: tuple(whole(entry, place) for entry in entries(v, place)),
    "accuracy": lambda v, place: _build(Accuracy, v, place, ACCURACY),
    "batch": positive,
    "videos": count,
    "traces": count,
    "metrics": some_of(*METRICS),
    "clock": one_of(*get_args(Clock)),
    "chapter": lambda v, place: _build(Chapter, v, place, CHAPTER),
    "ours": lambda v, place: some_of(*POLICIES)([v] if isinstance(v, str) else v, place),
    "settings": lambda v, _: _several(v, "settings", settings_of),
}
REQUIRED = {
    "Plan": ("name", "prompts", "models", "settings"),
    "Prompts": ("source",),
    "Model": ("name", "model"),
    "Accuracy": ("prompts", "settings"),
    "Chapter": ("title",),
}
