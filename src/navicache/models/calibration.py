"""A calibration as a file: what one command measured, and another run reads."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from navicache.records import open_atomic_file

CALIBRATED_METHODS = ("teacache", "magcache", "l2p", "meancache")
CALIBRATION_FORMAT = 1


@dataclass(frozen=True)
class Calibration:
    """Knobs of a policy that were measured on a model, and how."""

    method: str  # the policy they belong to
    model: str  # class of the transformer
    knobs: Mapping[str, Any]
    quality: Mapping[str, float] = field(default_factory=dict[str, float])  # how well they fit what was measured
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])  # prompts, steps, scheduler, machine, seconds

    @property
    def seconds(self) -> float | None:
        """How long it took to measure, on the machine it was measured on; None where nobody wrote it down."""
        return self.about.get("seconds")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON."""
        with open_atomic_file(path) as file:
            file.write((json.dumps({"format": CALIBRATION_FORMAT, **asdict(self)}, indent=1) + "\n").encode())


def read_calibration(path: str | os.PathLike[str]) -> Calibration:
    """Read what `save` wrote; anything else is refused by name."""
    try:
        found: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"cannot read the calibration {os.fspath(path)}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)} is no JSON file: {error}") from error
    entries: dict[str, Any] = found if type(found) is dict else {}  # pyright: ignore[reportUnknownVariableType]
    if entries.get("format") != CALIBRATION_FORMAT or entries.get("method") not in CALIBRATED_METHODS:
        raise ValueError(f"{os.fspath(path)} is no calibration: make one with `navicache calibrate --out FILE`")
    given: dict[str, Any] = entries["knobs"]
    knobs: dict[str, Any] = {name: _freeze_list(value) for name, value in given.items()}
    return Calibration(entries["method"], entries["model"], knobs, entries["quality"], entries["about"])


def _freeze_list(value: Any) -> Any:
    return tuple(value) if type(value) is list else value  # pyright: ignore
