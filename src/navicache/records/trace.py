"""Several runs together, as they are kept in a file."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from navicache.records.codec import Json, broken, check_list, check_object, decode_run, encode_run
from navicache.records.files import atomic_file
from navicache.records.run import RunRecord

FORMAT = "navicache trace"
VERSION = 1


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
        document = {"format": FORMAT, "version": VERSION, "runs": [encode_run(run) for run in self.runs]}
        return json.dumps(document, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> "Trace":
        """What `to_json` wrote; anything else is a ValueError that says where and what to do."""
        document = _parse(text)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise broken(f'there is no "format": "{FORMAT}" at its top')
        version = document.get("version")
        if version != VERSION or isinstance(version, bool):
            advice = f"this navicache reads version {VERSION}: update navicache, or write the trace again with this one"
            raise ValueError(f"the trace has version {json.dumps(version)}, {advice}")
        names = {"format", "version", "runs"}
        runs = check_object(document, "the document", names, names)["runs"]
        return Trace(tuple(decode_run(value, place) for value, place in check_list(runs, "runs")))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json`; a half-written file never stands under its final name."""
        content = self.to_json().encode()
        with atomic_file(path) as file:
            file.write(content)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Trace":
        """What `save` wrote; errors name the file."""
        try:
            return Trace.from_json(Path(path).read_text(encoding="utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ValueError(f"{os.fspath(path)}: {broken('it is not UTF-8 text')}") from error
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error


def _parse(text: str) -> Json:
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise broken(f"it is not strict JSON ({error})") from error


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} without quotes")
