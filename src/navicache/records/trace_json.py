"""Records as strict JSON values and back; everything read is checked."""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeAlias, cast, get_args, get_type_hints

from navicache.records.run import ErrorField, RunRecord, SettingValue, ShadowMode
from navicache.records.step import StepRecord

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

NONFINITE_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}  # JSON has no numbers for these


def make_trace_error(problem: str) -> ValueError:
    """Build the error for a file that is not a valid trace."""
    advice = "save it again with Trace.save, or update navicache if a newer version wrote it"
    return ValueError(f"not a readable trace: {problem}; {advice}")


def encode_run(run: RunRecord) -> dict[str, JsonValue]:
    """Encode every field by its name; the fields of shadow mode only if they are set."""
    more: dict[str, JsonValue] = {"shadow": run.shadow, "belief": run.belief}
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


def decode_run(value: JsonValue, json_path: str) -> RunRecord:
    """Decode what `encode_run` made; errors name `json_path`."""
    names = {entry.name for entry in fields(RunRecord)}
    entries = parse_object(value, json_path, names, _list_required_fields(RunRecord))
    reads: dict[str, Callable[[JsonValue, str], Any]] = {
        "settings": _decode_settings,
        "total": lambda value, path: None if value is None else _parse_integer(value, path),
        "steps": lambda value, path: tuple(_decode_step(v, p) for v, p in parse_list(value, path)),
        "notes": lambda value, path: tuple(_parse_text(v, p) for v, p in parse_list(value, path)),
        "finished": _parse_bool,
        "shadow": lambda value, path: _parse_optional_choice(value, path, get_args(ShadowMode)),
        "belief": lambda value, path: _parse_optional_choice(value, path, get_args(ErrorField)),
    }
    return RunRecord(**{name: reads.get(name, _parse_text)(v, f"{json_path}.{name}") for name, v in entries.items()})


def parse_object(
    value: JsonValue, json_path: str, known_fields: Collection[str], required_fields: Collection[str]
) -> dict[str, JsonValue]:
    """Return the value as an object with all required fields and no unknown ones."""
    if not isinstance(value, dict):
        raise make_trace_error(f"{json_path} must be an object")
    if unknown := sorted(set(value) - set(known_fields)):
        raise make_trace_error(f"{json_path} has unknown fields: {', '.join(unknown)}")
    if missing := sorted(set(required_fields) - set(value)):
        raise make_trace_error(f"{json_path} lacks fields: {', '.join(missing)}")
    return value


def parse_list(value: JsonValue, json_path: str) -> list[tuple[JsonValue, str]]:
    """The entries of a list, each with its path."""
    if not isinstance(value, list):
        raise make_trace_error(f"{json_path} must be a list")
    return [(entry, f"{json_path}[{number}]") for number, entry in enumerate(value)]


def _encode_step(step: StepRecord) -> dict[str, JsonValue]:
    """Unknown values (`None`) are left out."""
    values = ((entry.name, getattr(step, entry.name)) for entry in fields(step))
    return {name: _encode_field(value) for name, value in values if value is not None}


def _encode_field(value: Any) -> JsonValue:
    if isinstance(value, Mapping):
        return {name: _encode_number(number) for name, number in cast(Mapping[str, float], value).items()}
    return _encode_number(value)


def _encode_number(value: SettingValue) -> SettingValue:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _encode_setting(value: SettingValue) -> JsonValue:
    """A setting may be the text "NaN" too, so the number goes into an object."""
    encoded = _encode_number(value)
    return encoded if encoded is value else {"float": encoded}


def _decode_settings(value: JsonValue, json_path: str) -> dict[str, SettingValue]:
    if not isinstance(value, dict):
        raise make_trace_error(f"{json_path} must be an object")
    return {name: _decode_setting(entry, f"{json_path}.{name}") for name, entry in value.items()}


def _decode_setting(value: JsonValue, json_path: str) -> SettingValue:
    if isinstance(value, dict):
        return _parse_optional_number(parse_object(value, json_path, {"float"}, {"float"})["float"], json_path)
    if isinstance(value, list):
        raise make_trace_error(f"{json_path} must be a number, text, true, false or null")
    return value


def _decode_step(value: JsonValue, json_path: str) -> StepRecord:
    entries = parse_object(value, json_path, _STEP_PARSERS, _list_required_fields(StepRecord))
    return StepRecord(**{name: _STEP_PARSERS[name](entry, f"{json_path}.{name}") for name, entry in entries.items()})


def _list_required_fields(record_type: type[StepRecord] | type[RunRecord]) -> set[str]:
    entries = fields(record_type)
    return {entry.name for entry in entries if entry.default is MISSING and entry.default_factory is MISSING}


def _make_parser(kind: type, words: str) -> Callable[[JsonValue, str], Any]:
    def parse(value: JsonValue, json_path: str) -> Any:
        if type(value) is kind:  # not isinstance: True is an int
            return value
        raise make_trace_error(f"{json_path} must be {words}")

    return parse


_parse_integer, _parse_bool = _make_parser(int, "a whole number"), _make_parser(bool, "true or false")
_parse_text = _make_parser(str, "text")


def _parse_optional_choice(value: JsonValue, json_path: str, choices: tuple[str, ...]) -> str | None:
    if value is None or (isinstance(value, str) and value in choices):
        return value
    raise make_trace_error(f"{json_path} must be null or one of {', '.join(choices)}")


def _parse_optional_number(value: JsonValue, json_path: str) -> float | None:
    if isinstance(value, str) and value in NONFINITE_NUMBERS:
        return NONFINITE_NUMBERS[value]
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise make_trace_error(f"{json_path} must be a number, null or one of {', '.join(NONFINITE_NUMBERS)}")


def _parse_optional_numbers(value: JsonValue, json_path: str) -> dict[str, float] | None:
    """Numbers by name."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise make_trace_error(f"{json_path} must be null or an object of numbers")
    numbers = {name: _parse_optional_number(entry, f"{json_path}.{name}") for name, entry in value.items()}
    return {name: number for name, number in numbers.items() if number is not None}


_PARSERS_BY_TYPE: dict[Any, Callable[[JsonValue, str], Any]] = {
    int: _parse_integer,
    bool: _parse_bool,
    str: _parse_text,
    float | None: _parse_optional_number,
    Mapping[str, float] | None: _parse_optional_numbers,
}
_STEP_PARSERS = {name: _PARSERS_BY_TYPE[hint] for name, hint in get_type_hints(StepRecord).items()}
