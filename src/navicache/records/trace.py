"""A trace: several runs, as they are saved to a file."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from navicache.records.atomic_files import open_atomic_file
from navicache.records.run import RunRecord
from navicache.records.trace_json import JsonValue, decode_run, encode_run, make_trace_error, parse_list, parse_object

TRACE_FORMAT = "navicache trace"
TRACE_VERSION = 1
MOST_DIGITS = 20  # of a whole number: plots turn it into a float


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
        """Return strict JSON; numbers that are not finite become "NaN", "Infinity" and "-Infinity"."""
        document = {"format": TRACE_FORMAT, "version": TRACE_VERSION, "runs": [encode_run(run) for run in self.runs]}
        return json.dumps(document, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> "Trace":
        """Read what `to_json` wrote; a ValueError says what is wrong with anything else."""
        document = _parse_strict_json(text)
        if not isinstance(document, dict) or document.get("format") != TRACE_FORMAT:
            raise make_trace_error(f'there is no "format": "{TRACE_FORMAT}" at its top')
        version = document.get("version")
        if version != TRACE_VERSION or isinstance(version, bool):
            advice = "update navicache, or write the trace again with this one"
            raise ValueError(
                f"the trace has version {json.dumps(version)}, this navicache reads version {TRACE_VERSION}: {advice}"
            )
        names = {"format", "version", "runs"}
        runs = parse_object(document, "the document", names, names)["runs"]
        return Trace(tuple(decode_run(value, place) for value, place in parse_list(runs, "runs")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json` to a file, atomically."""
        content = self.to_json().encode()
        with open_atomic_file(path) as file:
            file.write(content)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Trace":
        """Read what `save` wrote; errors name the file."""
        try:
            return Trace.from_json(Path(path).read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ValueError(f"{os.fspath(path)}: {make_trace_error('it is not UTF-8 text')}") from error
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error


def _parse_strict_json(text: str) -> JsonValue:
    try:
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_parse_int)
    except (ValueError, RecursionError) as error:
        raise make_trace_error(f"it is not strict JSON ({error})") from error


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} without quotes")


def _parse_int(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"{digits:.{MOST_DIGITS}}... has too many digits")
    return int(digits)
