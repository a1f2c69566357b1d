"""A stage of training by the clock: how far it is, what it logs, and how it goes on after an interruption."""

import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from navicache.records import open_atomic_file

SAVE_EVERY = 30.0  # seconds


class TimeIsUp(Exception):
    """The command was told to stop before the stage had its seconds; what it had is saved."""


@dataclass
class Session:
    """One stage, told how many seconds it may take in all; earlier tries count.

    `until`, by `time.monotonic`, is when this try has to end: it is saved then, and `TimeIsUp` is raised.
    """

    name: str
    folder: Path
    seconds: float
    step: int = 0
    spent: float = 0.0
    log: list[dict[str, float]] = field(default_factory=list)
    until: float = math.inf

    @property
    def path(self) -> Path:
        """Where the stage keeps what it needs to go on."""
        return self.folder / f"{self.name}.pt"

    @property
    def share(self) -> float:
        """Part of the time that is gone, 0 to 1."""
        return min(1.0, self.spent / self.seconds)

    def resume(self, device: str) -> dict[str, Any] | None:
        """What an earlier try saved, if there was one."""
        if not self.path.exists():
            return None
        state = torch.load(self.path, map_location=device, weights_only=True)
        self.step, self.spent, self.log = state["step"], state["spent"], state["log"]
        return state["parts"]

    def save(self, parts: dict[str, Any]) -> None:
        """Keep everything that is needed to go on."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state = {"step": self.step, "spent": self.spent, "log": self.log, "parts": parts}
        with open_atomic_file(self.path) as file:
            torch.save(state, file)
        with open_atomic_file(self.folder / f"{self.name}_log.json") as file:
            file.write(json.dumps(self.log).encode())

    def steps(self, parts: Any) -> Iterator[int]:
        """Count steps until the time is up, saving `parts()` now and then and at the end."""
        interval = 1.0 if sys.stderr.isatty() else 20.0
        begun, saved = time.monotonic() - self.spent, self.spent
        with tqdm(
            total=round(self.seconds), initial=round(self.spent), desc=self.name, unit="s", mininterval=interval
        ) as bar:
            while self.share < 1:
                yield self.step
                self.step += 1
                self.spent = time.monotonic() - begun
                bar.update(min(round(self.spent), bar.total) - bar.n)
                if self.log:
                    bar.set_postfix({"step": self.step, **self.log[-1]}, refresh=False)
                if self.spent - saved > SAVE_EVERY:
                    self.save(parts())
                    saved = self.spent
                if time.monotonic() > self.until and self.share < 1:
                    self.save(parts())
                    raise TimeIsUp(self.name)
        self.save(parts())

    def note(self, every: int, values: dict[str, torch.Tensor]) -> None:
        """Log these values at every so-manieth step; they are read from the device only then."""
        if self.step % every == 0:
            read = {name: round(value.item(), 5) for name, value in values.items()}
            self.log.append({"seconds": round(self.spent, 1), "step": self.step, **read})


def set_rate(optimizer: torch.optim.Optimizer, session: Session, peak: float, warm_up: int) -> None:
    """Linear warm-up, then half a cosine down to nearly nothing over the time that is given."""
    rate = peak * min(1.0, (session.step + 1) / warm_up) * (0.5 * (1 + math.cos(math.pi * session.share)) + 1e-3)
    for group in optimizer.param_groups:
        group["lr"].fill_(rate)
