"""A plan as jobs: one call of a pipeline each, in groups that share a baseline."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Literal

from navicache.evaluation.bench.names import digest, file_stem, slug
from navicache.evaluation.bench.plan import BASELINE, NO_CACHE, Condition, Model, Plan, Setting

Kind = Literal["baseline", "cached", "shadow"]
PLAIN = Setting(BASELINE, NO_CACHE)
# Computes every step, and its trace holds the true changes of input and output from step to step.
TRUTH = Setting("every step", "easycache", knobs={"threshold": 0.0, "align_steps": 2})


@dataclass(frozen=True)
class Job:
    """One call: a model under a condition, with a prompt and a seed, and a cache or none."""

    kind: Kind
    model: Model
    condition: Condition
    setting: Setting
    prompt: str
    prompt_index: int
    seed: int
    seed_index: int

    @property
    def arguments(self) -> dict[str, Any]:
        """Of the pipeline's call; the setting has the last word."""
        return {**self.model.call, **self.condition.call, **self.setting.call}

    @cached_property
    def group(self) -> str:
        """What the jobs that are compared with one baseline share."""
        facts = {"model": asdict(self.model), "condition": asdict(self.condition)}
        return digest({**facts, "prompt": self.prompt, "seed": self.seed})

    @cached_property
    def key(self) -> str:
        """What makes a job the same one: finished under this key, it is not done again."""
        setting = {
            name: value for name, value in asdict(self.setting).items() if name not in ("series", "swept", "models")
        }
        return digest({"group": self.group, "kind": self.kind, "setting": setting})

    @property
    def place(self) -> PurePosixPath:
        """Folder of the setting, below the folder of a kind of files."""
        return PurePosixPath(*(slug(part.name) for part in (self.model, self.condition, self.setting)))

    @property
    def video(self) -> PurePosixPath:
        """Where its video goes, without the suffix, named as VBench expects it."""
        return "videos" / self.place / f"{file_stem(self.prompt)}-{self.seed_index}"

    @property
    def trace(self) -> PurePosixPath:
        """Where its trace goes."""
        return PurePosixPath("shadow" if self.kind == "shadow" else "traces") / self.place / f"{self.key}.json"

    @property
    def reference(self) -> PurePosixPath:
        """Where the frames of its baseline are kept, to the bit, until the group is done."""
        return PurePosixPath("references") / f"{self.group}.npy"


Group = tuple[Job, ...]


def expand(plan: Plan, prompts: Sequence[str]) -> list[Group]:
    """The groups of a plan, model by model: the baseline first, then all that is compared with it."""
    return [
        tuple(_group(plan, model, condition, (prompt, index), (seed, number)))
        for model in plan.models
        for condition in plan.conditions
        for index, prompt in enumerate(prompts)
        for number, seed in enumerate(plan.seeds)
    ]


def _group(
    plan: Plan, model: Model, condition: Condition, prompt: tuple[str, int], seed: tuple[int, int]
) -> Iterator[Job]:
    same = {"model": model, "condition": condition, "prompt": prompt[0], "prompt_index": prompt[1]}
    same |= {"seed": seed[0], "seed_index": seed[1]}
    yield Job(kind="baseline", setting=PLAIN, **same)
    settings = [setting for setting in plan.settings if not setting.models or model.name in setting.models]
    for setting in settings:
        yield Job(kind="cached", setting=setting, **same)
    if prompt[1] < plan.accuracy.prompts and seed[1] == 0:
        chosen = [setting for setting in settings if setting.name in plan.accuracy.settings]
        for setting in (TRUTH, *chosen):
            yield Job(kind="shadow", setting=setting, **same)
