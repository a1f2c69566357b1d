"""A plan as jobs, one video each: in batches of one call, and in groups of batches that share their baselines."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Literal

from navicache.evaluation.bench.names import digest, file_stem, slug
from navicache.evaluation.bench.plan import BASELINE, NO_CACHE, STEPS, BenchPlan, PlanCondition, PlanModel, PlanSetting

JobKind = Literal["baseline", "cached", "shadow"]
BASELINE_SETTING = PlanSetting(BASELINE, NO_CACHE)
# Computes every step, and its trace holds the true changes of input and output from step to step.
EVERY_STEP = PlanSetting("every step", "easycache", knobs={"threshold": 0.0, "align_steps": 2})


@dataclass(frozen=True)
class BenchJob:
    """One video: a model under a condition, with a prompt and a seed, and a cache or none."""

    kind: JobKind
    model: PlanModel
    condition: PlanCondition
    setting: PlanSetting
    prompt: str
    prompt_index: int
    seed: int
    seed_index: int

    @property
    def arguments(self) -> dict[str, Any]:
        """Of the pipeline's call; the setting has the last word."""
        found = {**self.model.call, **self.condition.call, **self.setting.call}
        if self.setting.share is None:
            return found
        return {**found, STEPS: max(1, round(self.setting.share * found[STEPS]))}

    @cached_property
    def group(self) -> str:
        """What the jobs that are compared with one baseline share."""
        hidden = () if self.model.shift else ("shift",)  # results from before there was one stay known
        facts = {
            "model": _identifying_facts(self.model, "batch", *hidden),
            "condition": _identifying_facts(self.condition, "models"),
        }
        return digest({**facts, "prompt": self.prompt, "seed": self.seed})

    @cached_property
    def key(self) -> str:
        """What makes a job the same one: finished under this key, it is not done again, whatever the batch was."""
        hidden = [name for name in ("share", "calibrate") if not getattr(self.setting, name)]  # as above
        setting = _identifying_facts(self.setting, "series", "swept", "models", "batch", *hidden)
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

    @property
    def frames(self) -> PurePosixPath:
        """Where its own frames wait for a metric that is not there yet: a folder a group."""
        return PurePosixPath("frames") / self.group / f"{self.key}.npy"


JobBatch = tuple[BenchJob, ...]  # of one call: same model, condition and setting
JobGroup = tuple[JobBatch, ...]


def _identifying_facts(part: PlanModel | PlanCondition | PlanSetting, *left_out: str) -> dict[str, Any]:
    """What a part says that decides a result; a copy in depth would take most of the time of a large plan."""
    return {name: value for name, value in vars(part).items() if name not in left_out}


def iterate_jobs(groups: Iterable[JobGroup]) -> Iterator[BenchJob]:
    """All jobs of these groups."""
    return (job for group in groups for batch in group for job in batch)


def expand_plan(plan: BenchPlan, prompts: Sequence[str]) -> list[JobGroup]:
    """The groups of a plan, model by model: the baselines first, then all that is compared with them."""
    numbered = list(enumerate(prompts))
    return [
        tuple(_build_group(plan, model, condition, chunk, (seed, number)))
        for model in plan.models
        for condition in plan.conditions_of(model)
        for chunk in _split(numbered, plan.batch_of(model))
        for number, seed in enumerate(plan.seeds)
    ]


def _build_group(
    plan: BenchPlan,
    model: PlanModel,
    condition: PlanCondition,
    prompts: Sequence[tuple[int, str]],
    seed: tuple[int, int],
) -> Iterator[JobBatch]:
    def jobs(kind: JobKind, setting: PlanSetting) -> list[BenchJob]:
        return [BenchJob(kind, model, condition, setting, prompt, index, *seed) for index, prompt in prompts]

    yield tuple(jobs("baseline", BASELINE_SETTING))
    settings = plan.settings_of(model)
    for setting in settings:
        yield from map(tuple, _split(jobs("cached", setting), setting.batch or len(prompts)))
    chosen = [setting for setting in settings if setting.name in plan.accuracy.settings]
    for place, (index, _) in enumerate(prompts):
        if chosen and index < plan.accuracy.prompts and seed[1] == 0:
            yield from (tuple(jobs("shadow", setting)[place : place + 1]) for setting in (EVERY_STEP, *chosen))


def _split(things: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """As many as fit, one piece after the other.

    Example:
        >>> list(_split([1, 2, 3], 2))
        [[1, 2], [3]]
    """
    return (things[start : start + size] for start in range(0, len(things), size))
