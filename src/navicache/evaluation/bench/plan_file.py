"""A plan out of its TOML file; whatever is not understood is an error that says what is."""

import itertools
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from navicache.evaluation.bench.plan import Accuracy, Condition, Model, Plan, Prompts, Setting, Source

Read = Callable[[Any, str], Any]
SETTING_KEYS = ("name", "policy", "mode", "modes", "knobs", "call", "sweep", "models", "calibration")


def read_plan(path: Path) -> Plan:
    """The plan in a file."""
    if not path.is_file():
        raise ValueError(f"no plan {path}: give a TOML file (plans/ has some)")
    try:
        return parse_plan(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def parse_plan(text: str) -> Plan:
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
    value = tomllib.loads(text)
    settings = [
        setting for entry, place in _tables(value.pop("settings", None), "settings") for setting in _sweep(entry, place)
    ]
    reads: dict[str, Read] = {
        "name": _text,
        "prompts": lambda v, place: _build(Prompts, v, place, PROMPTS),
        "models": lambda v, place: tuple(_build(Model, entry, at, MODEL) for entry, at in _tables(v, place)),
        "conditions": lambda v, place: tuple(
            _build(Condition, entry, at, CONDITION) for entry, at in _tables(v, place)
        ),
        "seeds": lambda v, place: tuple(_whole(entry, place) for entry in _list(v, place)),
        "accuracy": lambda v, place: _build(Accuracy, v, place, ACCURACY),
        "settings": lambda v, _: v,
    }
    return _build(Plan, {**value, "settings": tuple(settings)}, "the plan", reads)


def _sweep(entry: Any, place: str) -> Iterator[Setting]:
    """The settings an entry stands for: one for every mode and every combination of the swept knobs."""
    _check_keys(entry, place, SETTING_KEYS, ("policy",))
    policy = _text(entry["policy"], f"{place}.policy")
    name = _text(entry.get("name", policy), f"{place}.name")
    knobs, call = (_table(entry.get(key, {}), f"{place}.{key}") for key in ("knobs", "call"))
    models = _texts(entry.get("models", []), f"{place}.models")
    calibration = _text(entry.get("calibration", ""), f"{place}.calibration")
    modes, points = _modes(entry, place), _points(entry, place)
    series = name if len(modes) * len(points) > 1 else ""
    for mode, point in itertools.product(modes, points):
        words = [name, *([mode] if len(modes) > 1 else []), *(f"{knob}={value}" for knob, value in point.items())]
        yield Setting(" ".join(words), policy, mode, {**knobs, **point}, call, series, point, models, calibration)


def _modes(entry: Mapping[str, Any], place: str) -> tuple[Any, ...]:
    if "modes" not in entry:
        return (entry.get("mode"),)
    if "mode" in entry:
        raise ValueError(f"{place} has mode and modes: give one of them")
    return _texts(entry["modes"], f"{place}.modes")


def _points(entry: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    swept = _table(entry.get("sweep", {}), f"{place}.sweep")
    values = [_list(values, f"{place}.sweep.{knob}") for knob, values in swept.items()]
    return [dict(zip(swept, point, strict=True)) for point in itertools.product(*values)]


def _build(kind: Any, value: Any, place: str, reads: Mapping[str, Read]) -> Any:
    required = [entry.name for entry in fields(kind) if entry.name in REQUIRED[kind.__name__]]
    _check_keys(value, place, tuple(reads), required)
    return kind(**{key: reads[key](entry, f"{place}.{key}") for key, entry in value.items()})


def _check_keys(value: Any, place: str, known: tuple[str, ...], required: Any) -> None:
    for key in _table(value, place):
        if key not in known:
            raise ValueError(f"{place} has an unknown key {key!r}; allowed: {', '.join(known)}")
    for key in required:
        if key not in value:
            raise ValueError(f"{place} lacks {key!r}; allowed: {', '.join(known)}")


def _tables(value: Any, place: str) -> Iterator[tuple[Any, str]]:
    for number, entry in enumerate(_list(value, place)):
        yield _table(entry, f"{place}[{number}]"), f"{place}[{number}]"


def _of(kind: type, words: str) -> Read:
    def read(value: Any, place: str) -> Any:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ValueError(f"{place} must be {words}, got {value!r}")
        return value

    return read


_text, _table, _list = _of(str, "a text"), _of(dict, "a table"), _of(list, "a list")
_whole = _of(int, "a whole number")


def _texts(value: Any, place: str) -> tuple[str, ...]:
    return tuple(_text(entry, place) for entry in _list(value, place))


def _positive(value: Any, place: str) -> int:
    if _whole(value, place) < 1:
        raise ValueError(f"{place} must be above zero, got {value}")
    return value


def _one_of(*known: str) -> Read:
    def read(value: Any, place: str) -> str:
        if value not in known:
            raise ValueError(f"{place} must be one of {', '.join(known)}, got {value!r}")
        return value

    return read


PROMPTS: dict[str, Read] = {
    "source": _one_of(*get_args(Source)),
    "count": _positive,
    "file": _text,
    "dimensions": _texts,
}
MODEL: dict[str, Read] = {
    **dict.fromkeys(("name", "model", "device", "published"), _text),
    "dtype": _one_of("auto", "float32", "bfloat16", "float16"),
    "offload": _one_of("none", "model", "sequential", "group"),
    "fps": _positive,
    "call": _table,
}
CONDITION: dict[str, Read] = {"name": _text, "scheduler": _text, "scheduler_options": _table, "call": _table}
ACCURACY: dict[str, Read] = {"prompts": _whole, "settings": _texts}
REQUIRED = {
    "Plan": ("name", "prompts", "models", "settings"),
    "Prompts": ("source",),
    "Model": ("name", "model"),
    "Condition": ("name",),
    "Accuracy": ("prompts", "settings"),
}
