"""Random runs and what is decided in them: `python -m tests.engine.recorded --write` records it anew.

Somebody calls a model in every way the engine knows: with or without names, numbers and totals, branches in one call or
several, in batches that shrink, with streams that come late, pause or change places, outputs that are useless. Nothing
here says what is right; it says what was so, and must not change by accident.
"""

import json
import sys
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import torch
from tests.engine.toys.drawn import CHANNELS, Broken, Toy, some_policy
from torch import Tensor

from navicache.engine import CallFacts, CallReader, CannotCache, ModelEngine, StorageOptions
from navicache.engine.tensors import device_readings
from navicache.integrations.attachments import get_forward_signature
from navicache.models import CallSpec
from navicache.records import RunRecord

FILE = Path(__file__).parent / "data" / "recorded_runs.json"
RUNS = 150
NEVER = -1


@dataclass(frozen=True)
class Habits:
    """How the model is called."""

    steps: int
    samples: int
    branches: int
    form: str  # a call for each branch ("many"), or all in one
    tells: frozenset[str]  # fields of CallFacts that are known
    stands_still: bool  # the scheduler, from step 2 on
    offset: int  # the scheduler's number of the first step
    anew: bool  # the conditioning is made anew for every call
    copies: bool  # so is the latent
    same_noise: bool  # all samples start alike
    late: int  # the other branches come from this step on
    pause: int  # they are left out at this step
    swap: int  # from here on they come in reverse
    shrink: int  # a sample is finished
    useless: tuple[int, str, int]  # step, kind and branch of an output that cannot be used
    raises: int  # the model fails
    prompt: int  # another one from this step on

    @classmethod
    def drawn(cls, rng: Random) -> "Habits":
        """Most are as usual, each for itself."""

        def rarely(chance: float, low: int, high: int, usual: int = NEVER) -> int:
            return rng.randint(low, high) if rng.random() < chance else usual

        steps = rng.randint(4, 20)
        chances = {"stream": 0.6, "index": 0.6, "total": 0.7, "run_token": 0.6, "sigma": 0.5}
        return cls(
            steps,
            samples=rng.randint(1, 3),
            branches=rng.randint(1, 3),
            form=rng.choice(["many", "many", "stacked", "interleaved"]),
            tells=frozenset(name for name, chance in chances.items() if rng.random() < chance),
            stands_still=rng.random() < 0.08,
            offset=rng.choice([0, 0, 0, 5]),
            anew=rng.random() < 0.3,
            copies=rng.random() < 0.3,
            same_noise=rng.random() < 0.3,
            late=rarely(0.15, 1, 5),
            pause=rarely(0.15, 3, 10),
            swap=rarely(0.15, 3, 19, usual=99),
            shrink=rarely(0.1, 3, 10),
            useless=(rarely(0.15, 0, steps), rng.choice(["nan", "inf"]), rng.randint(0, 2)),
            raises=rarely(0.05, 0, steps),
            prompt=rarely(0.1, 2, 12, usual=99),
        )

    def describe_call(self, name: str, i: int, token: object) -> CallFacts:
        """The facts of a call that are known."""
        index = (2 if self.stands_still and i >= 2 else i) + self.offset
        total = self.steps + self.offset if "index" in self.tells else None
        whole = {"stream": name, "index": index, "total": total, "sigma": 1 - i / self.steps, "run_token": token}
        return CallFacts(**{field: value for field, value in whole.items() if field in self.tells})

    def order(self, i: int) -> list[int]:
        """The branches that are called at a step."""
        branches = range(1 if i < self.late or i == self.pause else self.branches)
        return [*(reversed(branches) if i >= self.swap else branches)]

    def pairs(self, samples: int) -> list[tuple[int, int]]:
        """Sample and branch of every row, where one call has them all."""
        stacked = [(s, b) for b in range(self.branches) for s in range(samples)]
        return sorted(stacked) if self.form == "interleaved" else stacked


class Play:
    """One or two videos with one engine."""

    def __init__(self, seed: int, scale: float = 1.0) -> None:
        self.rng = rng = Random(seed)
        self.habits, self.model, self.call_facts, self.stopped = Habits.drawn(rng), Toy(rng, scale), CallFacts(), ""
        policy, call = some_policy(rng, self.habits.steps), CallSpec(latent="x", time="t", conditioning=("text",))
        stored = [StorageOptions(torch.bfloat16), StorageOptions(None, torch.device("cpu"))]
        keep = rng.choice([None, None, None, None, *stored])
        more = {"call": call, "keep": keep, "shadow": rng.choice([None, None, None, "cached", "full"])}
        reader = CallReader(call, get_forward_signature(self.model.__call__))
        self.engine = ModelEngine(policy, reader, model="toy", describe_call=lambda: self.call_facts, **more)

    def videos(self) -> tuple[RunRecord, ...]:
        """All of them, one after the other; between them the pipeline may say so, or somebody may look."""
        for number in range(self.rng.choice([1, 2])):
            try:
                self._video(number)
            except (Broken, CannotCache) as error:
                self.stopped = type(error).__name__
            if self.rng.random() < 0.5:
                self.engine.end_run()
            elif self.rng.random() < 0.5:
                _ = self.engine.trace  # which fetches what waits
        return self.engine.trace.runs

    def _video(self, number: int) -> None:
        habits, token = self.habits, object()
        x = _noise(habits, number)
        texts = self._texts(len(x), 0)
        for i in range(habits.steps):
            x = x[:-1] if i == habits.shrink and len(x) > 1 else x
            texts = self._texts(len(x), i) if i in (habits.shrink, habits.prompt) else texts
            outputs = self._step(i, x, texts, token)
            x = x - 0.08 * torch.nan_to_num(outputs[0] + 1.5 * (outputs[-1] - outputs[0]), 0.0, 1.0, -1.0)

    def _texts(self, samples: int, i: int) -> list[Tensor]:
        pairs, prompt = self.habits.pairs(samples), 0.1 if i >= self.habits.prompt else -0.4
        texts = torch.tensor([0.3 * s + 0.5 * b + prompt for s, b in pairs])
        return [*texts.split(samples)] if self.habits.form == "many" else [texts]

    def _step(self, i: int, x: Tensor, texts: list[Tensor], token: object) -> list[Tensor]:
        """The outputs of every branch that is called."""
        habits, pairs = self.habits, self.habits.pairs(len(x))
        if habits.form == "many":
            return [self._call(i, b, x.clone() if habits.copies else x, texts[b], token) for b in habits.order(i)]
        output = self._call(i, 0, x[[sample for sample, _ in pairs]], texts[0], token)
        return [output[[row for row, (_, b) in enumerate(pairs) if b == branch]] for branch in range(habits.branches)]

    def _call(self, i: int, branch: int, x: Tensor, text: Tensor, token: object) -> Tensor:
        step, kind, where = self.habits.useless
        useless = kind if (i, branch) == (step, where) else ""
        self.model.trouble = "raise" if i == self.habits.raises else useless
        self.call_facts = self.habits.describe_call(f"branch {branch}", i, token)
        x = torch.cat([x, torch.ones_like(x[:, : self.model.more_in])], 1) if self.model.more_in else x
        text, time = text.clone() if self.habits.anew else text, torch.full((len(x),), 1000.0 - 40 * i)
        args: tuple[Any, ...] = (list(x), time, list(text)) if self.model.listed else (x, time, text)
        made = self.engine(self.model, args, {})
        return (torch.stack(made) if self.model.listed else made[0] if self.model.wraps else made)[:, :CHANNELS]


def _noise(habits: Habits, number: int) -> Tensor:
    """Latents to start from: waves, which are the same on every machine."""
    places = torch.arange(habits.samples * CHANNELS * 6).reshape(habits.samples, CHANNELS, 3, 2)
    noise = 1.5 * torch.sin(places * 1.7 + number + habits.steps)
    return noise[:1].repeat(habits.samples, 1, 1, 1) if habits.same_noise else noise


def patterns(run: RunRecord) -> dict[str, str]:
    """The steps of each stream and sample, as first letters of their reasons: capitals are computed."""
    first = min(step.index for step in run.steps)
    lines: dict[str, str] = {}
    for step in run.steps:
        name, letter = f"{step.stream}/{step.sample}", step.reason[0]
        line = lines.get(name, "").ljust(step.index - first, "-")
        lines[name] = line + (letter.upper() if step.computed else letter)
    return lines


def decisions(seed: int, scale: float = 1.0) -> dict[str, Any]:
    """What is decided in one play; `scale` multiplies what the model returns."""
    with patch.object(device_readings, "copy_to_host", wraps=device_readings.copy_to_host) as transfer:
        play = Play(seed, scale)
        runs = [{"why": run.started, "notes": [*run.notes], "steps": patterns(run)} for run in play.videos()]
    rows = " ".join(map(str, play.model.rows))
    return {"seed": seed, "stopped": play.stopped, "rows": rows, "transfers": transfer.call_count, "runs": runs}


def sturdy() -> list[dict[str, Any]]:
    """Plays whose decisions do not hang on the last bits of a number: a millionth more or less changes nothing."""
    plays, ways = map(decisions, count()), (1 + 1e-6, 1 - 1e-6)
    return [*islice((play for play in plays if all(play == decisions(play["seed"], way) for way in ways)), RUNS)]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.engine.recorded --write")
    lines = ",\n".join(json.dumps(play, separators=(",", ":")) for play in sturdy())
    FILE.write_text(f"[\n{lines}\n]\n")
