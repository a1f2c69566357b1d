"""Several runs together, as they are kept in a file."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from navicache.records.trace_json import JsonValue, make_trace_error, parse_list, parse_object, decode_run, encode_run
from navicache.records.atomic_files import open_atomic_file
from navicache.records.run import RunRecord

TRACE_FORMAT = "navicache trace"
TRACE_VERSION = 1


@dataclass(frozen=True)
class Trace:
    """All runs since the cache was enabled, oldest first.

    Example:
        >>> trace = Trace((RunRecord(model="Toy", policy="static", started="pipeline reset"),))
        >>> Trace.from_json(trace.to_json()) == trace
        True
    """

    runs: tuple[RunRecord, ...] = ()

    def to_json(self) -> str:
        """Strict JSON: numbers that are not finite stand as "NaN", "Infinity" and "-Infinity"."""
        document = {"format": TRACE_FORMAT, "version": TRACE_VERSION, "runs": [encode_run(run) for run in self.runs]}
        return json.dumps(document, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> "Trace":
        """What `to_json` wrote; anything else is a ValueError that says where and what to do."""
        document = _parse_strict_json(text)
        if not isinstance(document, dict) or document.get("format") != TRACE_FORMAT:
            raise make_trace_error(f'there is no "format": "{TRACE_FORMAT}" at its top')
        version = document.get("version")
        if version != TRACE_VERSION or isinstance(version, bool):
            advice = f"this navicache reads version {TRACE_VERSION}: update navicache, or write the trace again with this one"
            raise ValueError(f"the trace has version {json.dumps(version)}, {advice}")
        names = {"format", "version", "runs"}
        runs = parse_object(document, "the document", names, names)["runs"]
        return Trace(tuple(decode_run(value, place) for value, place in parse_list(runs, "runs")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json`; a half-written file never stands under its final name."""
        content = self.to_json().encode()
        with open_atomic_file(path) as file:
            file.write(content)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Trace":
        """What `save` wrote; errors name the file."""
        try:
            return Trace.from_json(Path(path).read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ValueError(f"{os.fspath(path)}: {make_trace_error('it is not UTF-8 text')}") from error
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error


def _parse_strict_json(text: str) -> JsonValue:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise make_trace_error(f"it is not strict JSON ({error})") from error


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} without quotes")
