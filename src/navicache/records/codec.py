"""Records as strict JSON values and back; everything read is checked."""

import math
from collections.abc import Callable, Collection
from dataclasses import MISSING, fields
from typing import Any, TypeAlias, get_args, get_type_hints

from navicache.records.run import Belief, RunRecord, Scalar, ShadowKind
from navicache.records.step import StepRecord

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}  # JSON has no numbers for these


def broken(problem: str) -> ValueError:
    """The error for a document that is no trace, with what to do about it."""
    advice = "save it again with Trace.save, or update navicache if a newer version wrote it"
    return ValueError(f"not a readable trace: {problem}; {advice}")


def encode_run(run: RunRecord) -> dict[str, Json]:
    """Every field by its name; those of shadow mode only where they say something."""
    more: dict[str, Json] = {"shadow": run.shadow, "belief": run.belief}
    return {
        "model": run.model,
        "policy": run.policy,
        "settings": {name: _encode_setting(value) for name, value in run.settings.items()},
        "started": run.started,
        "total": run.total,
        "steps": [_encode_step(step) for step in run.steps],
        "notes": list(run.notes),
        "finished": run.finished,
        **{name: value for name, value in more.items() if value is not None},
    }


def decode_run(value: Json, place: str) -> RunRecord:
    """A run from what `encode_run` made; `place` names it in errors."""
    entries = check_object(value, place, {entry.name for entry in fields(RunRecord)}, _required(RunRecord))
    reads: dict[str, Callable[[Json, str], Any]] = {
        "settings": _decode_settings,
        "total": lambda value, place: None if value is None else _integer(value, place),
        "steps": lambda value, place: tuple(_decode_step(v, p) for v, p in check_list(value, place)),
        "notes": lambda value, place: tuple(_text(v, p) for v, p in check_list(value, place)),
        "finished": _flag,
        "shadow": lambda value, place: _choice(value, place, get_args(ShadowKind)),
        "belief": lambda value, place: _choice(value, place, get_args(Belief)),
    }
    return RunRecord(**{name: reads.get(name, _text)(v, f"{place}.{name}") for name, v in entries.items()})


def check_object(value: Json, place: str, known: Collection[str], required: Collection[str]) -> dict[str, Json]:
    """The value as an object that has all required fields and no unknown ones."""
    if not isinstance(value, dict):
        raise broken(f"{place} must be an object")
    if unknown := sorted(set(value) - set(known)):
        raise broken(f"{place} has unknown fields: {', '.join(unknown)}")
    if missing := sorted(set(required) - set(value)):
        raise broken(f"{place} lacks fields: {', '.join(missing)}")
    return value


def check_list(value: Json, place: str) -> list[tuple[Json, str]]:
    """The entries of a list, each with its place."""
    if not isinstance(value, list):
        raise broken(f"{place} must be a list")
    return [(entry, f"{place}[{number}]") for number, entry in enumerate(value)]


def _encode_step(step: StepRecord) -> dict[str, Json]:
    """Unknown values (`None`) are left out."""
    values = ((entry.name, getattr(step, entry.name)) for entry in fields(step))
    return {name: _encode_number(value) for name, value in values if value is not None}


def _encode_number(value: Scalar) -> Scalar:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _encode_setting(value: Scalar) -> Json:
    """A setting may be the text "NaN" too, so the number goes into an object."""
    encoded = _encode_number(value)
    return encoded if encoded is value else {"float": encoded}


def _decode_settings(value: Json, place: str) -> dict[str, Scalar]:
    if not isinstance(value, dict):
        raise broken(f"{place} must be an object")
    return {name: _decode_setting(entry, f"{place}.{name}") for name, entry in value.items()}


def _decode_setting(value: Json, place: str) -> Scalar:
    if isinstance(value, dict):
        return _number(check_object(value, place, {"float"}, {"float"})["float"], place)
    if isinstance(value, list):
        raise broken(f"{place} must be a number, text, true, false or null")
    return value


def _decode_step(value: Json, place: str) -> StepRecord:
    entries = check_object(value, place, _STEP_READS, _required(StepRecord))
    return StepRecord(**{name: _STEP_READS[name](entry, f"{place}.{name}") for name, entry in entries.items()})


def _required(record: type[StepRecord] | type[RunRecord]) -> set[str]:
    return {entry.name for entry in fields(record) if entry.default is MISSING and entry.default_factory is MISSING}


def _integer(value: Json, place: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise broken(f"{place} must be a whole number")


def _flag(value: Json, place: str) -> bool:
    if isinstance(value, bool):
        return value
    raise broken(f"{place} must be true or false")


def _text(value: Json, place: str) -> str:
    if isinstance(value, str):
        return value
    raise broken(f"{place} must be text")


def _choice(value: Json, place: str, known: tuple[str, ...]) -> str | None:
    if value is None or (isinstance(value, str) and value in known):
        return value
    raise broken(f"{place} must be null or one of {', '.join(known)}")


def _number(value: Json, place: str) -> float | None:
    if isinstance(value, str) and value in NOT_FINITE:
        return NOT_FINITE[value]
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise broken(f"{place} must be a number, null or one of {', '.join(NOT_FINITE)}")


_READS: dict[Any, Callable[[Json, str], Any]] = {int: _integer, bool: _flag, str: _text, float | None: _number}
_STEP_READS = {name: _READS[hint] for name, hint in get_type_hints(StepRecord).items()}
