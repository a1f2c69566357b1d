"""Settings files as `navicache tune` writes them, with a choice whose steps are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from navicache.models import TunedChoice, TunedRun, TunedSettings

STEPS = 16
COMPUTED = (0, 1, 2, 8)  # of these steps, by the choice that was searched for
HIGH = (0, 1, 2, 4, 6, 8, 10, 15)  # by that of quality "high"
SPEEDUP = 4.0


def tuned(model: str, config: dict[str, Any] | None = None, **run: Any) -> TunedSettings:
    """Settings with a list of steps for the choice, and one for quality "high"."""
    choice = TunedChoice("schedule", {"at": COMPUTED}, SPEEDUP)
    high = TunedChoice("schedule", {"at": HIGH}, 2.0)
    return TunedSettings(model, config or {}, TunedRun(**{"steps": STEPS, **run}), choice, {"high": high})


def tuned_file(folder: Path, model: str, config: dict[str, Any] | None = None, **run: Any) -> Path:
    path = folder / "tuned.json"
    tuned(model, config, **run).save(path)
    return path


def rewrite(path: Path, **changed: Any) -> Path:
    """The file with other entries; None removes one."""
    entries = {**json.loads(path.read_text()), **changed}
    path.write_text(json.dumps({name: value for name, value in entries.items() if value is not None}))
    return path
