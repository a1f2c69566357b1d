"""The calibration file: `navicache calibrate` writes it, later runs read it."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from navicache.models.json_entries import freeze_list, read_json_entries
from navicache.records import open_atomic_file

CALIBRATED_METHODS = ("teacache", "magcache", "l2p", "meancache")
CALIBRATION_FORMAT = 1


@dataclass(frozen=True)
class Calibration:
    """Knobs of a policy that were measured on a model, and how they were measured."""

    method: str  # the policy they belong to
    model: str  # class of the transformer
    knobs: Mapping[str, Any]
    quality: Mapping[str, float] = field(default_factory=dict[str, float])  # how well they fit what was measured
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])  # prompts, steps, scheduler, machine, seconds

    @property
    def seconds(self) -> float | None:
        """How long the measurement took; None if it was not recorded."""
        return self.about.get("seconds")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON."""
        with open_atomic_file(path) as file:
            file.write((json.dumps({"format": CALIBRATION_FORMAT, **asdict(self)}, indent=1) + "\n").encode())


def read_calibration(path: str | os.PathLike[str]) -> Calibration:
    """Read what `save` wrote; raise ValueError for anything else."""
    entries = read_json_entries(path, "calibration")
    if entries.get("format") != CALIBRATION_FORMAT or entries.get("method") not in CALIBRATED_METHODS:
        raise ValueError(f"{os.fspath(path)} is no calibration: make one with `navicache calibrate --out FILE`")
    try:
        given: dict[str, Any] = entries["knobs"]
        knobs: dict[str, Any] = {name: freeze_list(value) for name, value in given.items()}
        quality, about = dict(entries["quality"]), dict(entries["about"])
        return Calibration(entries["method"], str(entries["model"]), knobs, quality, about)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        lacks = f"lacks {error}" if type(error) is KeyError else "is damaged"
        raise ValueError(f"{os.fspath(path)} {lacks}: make it again with `navicache calibrate --out FILE`") from error
