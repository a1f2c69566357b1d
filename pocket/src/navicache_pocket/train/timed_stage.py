"""A stage of training with a time limit: its progress, its log, and how it resumes after an interruption."""

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

DIVERGED = (
    "{stage}: {names} not finite at step {step}; {kept}. Try lower learning rates (`--rate 0.5`, `--rates`), a "
    "longer warm-up, another batch size, or float32, to see whether bfloat16 is to blame"
)
SAVE_INTERVAL = 30.0  # seconds
EARLY_STEP = 20  # whose figures are read besides, long before the state is saved as a rule


class StageInterrupted(Exception):
    """The deadline came before the stage had its seconds; its state is saved."""


class TrainingDiverged(Exception):
    """The loss is not a finite number; what was saved before is kept."""


@dataclass
class TimedStage:
    """One stage of training with a time limit in seconds; earlier attempts count.

    At `deadline`, by `time.monotonic`, the stage is saved and `StageInterrupted` is raised.
    """

    name: str
    folder: Path
    seconds: float
    step: int = 0
    seconds_spent: float = 0.0
    log: list[dict[str, float]] = field(default_factory=list)
    deadline: float = math.inf
    newest: dict[str, torch.Tensor] = field(default_factory=dict)  # figures of the newest step, on the device

    @property
    def state_path(self) -> Path:
        """Where the stage saves its state."""
        return self.folder / f"{self.name}.pt"

    @property
    def progress(self) -> float:
        """Share of the time that is used, 0 to 1."""
        return min(1.0, self.seconds_spent / self.seconds)

    def resume(self, device: str) -> dict[str, Any] | None:
        """Restore an earlier attempt; returns the state of model and optimizers, or None."""
        if not self.state_path.exists():
            return None
        state = torch.load(self.state_path, map_location=device, weights_only=True)
        self.step, self.seconds_spent, self.log = state["step"], state["spent"], state["log"]
        return state["parts"]

    def save(self, state: dict[str, Any]) -> None:
        """Save the state and the log."""
        self.folder.mkdir(parents=True, exist_ok=True)
        state = {"step": self.step, "spent": self.seconds_spent, "log": self.log, "parts": state}
        with open_atomic_file(self.state_path) as file:
            torch.save(state, file)
        with open_atomic_file(self.folder / f"{self.name}_log.json") as file:
            file.write(json.dumps(self.log).encode())

    def run_steps(self, collect_state: Any) -> Iterator[int]:
        """Count steps until the time is up; `collect_state()` is saved every 30 seconds and at the end."""
        interval = 1.0 if sys.stderr.isatty() else 20.0
        begun, saved = time.monotonic() - self.seconds_spent, self.seconds_spent
        with tqdm(
            total=round(self.seconds), initial=round(self.seconds_spent), desc=self.name, unit="s", mininterval=interval
        ) as bar:
            while self.progress < 1:
                yield self.step
                self.step += 1
                self.seconds_spent = time.monotonic() - begun
                bar.update(min(round(self.seconds_spent), bar.total) - bar.n)
                if self.log:
                    bar.set_postfix({"step": self.step, **self.log[-1]}, refresh=False)
                if self.seconds_spent - saved > SAVE_INTERVAL:
                    self._refuse_nonfinite()
                    self.save(collect_state())
                    saved = self.seconds_spent
                if time.monotonic() > self.deadline and self.progress < 1:
                    self._refuse_nonfinite()
                    self.save(collect_state())
                    raise StageInterrupted(self.name)
        self._refuse_nonfinite()
        self.save(collect_state())

    def log_figures(
        self, every: int, figures: dict[str, torch.Tensor], checked: dict[str, torch.Tensor] | None = None
    ) -> None:
        """Log these figures every `every` steps; they are read from the device then, at step 20, and before saving.

        One that is not finite, of these or of `checked`, ends the training: `TrainingDiverged`, and nothing is saved.
        """
        self.newest = {**figures, **(checked or {})}
        is_due = self.step % every == 0
        if is_due or self.step == EARLY_STEP:
            self._refuse_nonfinite()
        if is_due:
            read = {name: round(value.item(), 5) for name, value in figures.items()}
            self.log.append({"seconds": round(self.seconds_spent, 1), "step": self.step, **read})

    def _refuse_nonfinite(self) -> None:
        wrong = [name for name, value in self.newest.items() if not math.isfinite(value.item())]
        if not wrong:
            return
        kept = f"the state in {self.state_path} is from before" if self.state_path.exists() else "no state was saved"
        raise TrainingDiverged(DIVERGED.format(names=" and ".join(wrong), stage=self.name, step=self.step, kept=kept))


def set_learning_rate(optimizer: torch.optim.Optimizer, stage: TimedStage, peak: float, warm_up: int) -> None:
    """Linear warm-up, then a cosine decay to nearly zero at the end of the stage."""
    rate = peak * min(1.0, (stage.step + 1) / warm_up) * (0.5 * (1 + math.cos(math.pi * stage.progress)) + 1e-3)
    for group in optimizer.param_groups:
        group["lr"].fill_(rate)
