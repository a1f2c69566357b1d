"""Expand a plan into jobs, one video each: batches of one call, and groups that share their baselines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Literal

from navicache.evaluation.bench.names import digest, file_stem, slug
from navicache.evaluation.bench.plan import BASELINE, NO_CACHE, STEPS, BenchPlan, PlanCondition, PlanModel, PlanSetting

JobKind = Literal["baseline", "cached", "shadow"]
HIDDEN_IF_EMPTY = ("share", "calibrate", "target", "tune", "quality")  # results from before there were these stay known
BASELINE_SETTING = PlanSetting(BASELINE, NO_CACHE)
# Computes every step, and its trace holds the true changes of input and output from step to step.
EVERY_STEP = PlanSetting("every step", "easycache", knobs={"threshold": 0.0, "align_steps": 2})


@dataclass(frozen=True)
class BenchJob:
    """One video: model, condition, setting, prompt and seed."""

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
        """Arguments of the pipeline's call; those of the setting override the others."""
        found = {**self.model.call, **self.condition.call, **self.setting.call}
        if self.setting.share is None:
            return found
        return {**found, STEPS: max(1, round(self.setting.share * found[STEPS]))}

    @cached_property
    def group(self) -> str:
        """Identifies the baseline that a job is compared with."""
        hidden = () if self.model.shift else ("shift",)  # results from before there was one stay known
        facts = {
            "model": _identifying_facts(self.model, "batch", "timing", *hidden),
            "condition": _identifying_facts(self.condition, "models", "prompts"),
        }
        return digest({**facts, "prompt": self.prompt, "seed": self.seed})

    @cached_property
    def key(self) -> str:
        """Identifies the job: a job with a row of this key is finished."""
        beside = ["series", "models", "conditions", "batch", "settings"]  # what the file says is in the knobs
        beside += [name for name in HIDDEN_IF_EMPTY if not getattr(self.setting, name)]
        beside += [] if self.setting.target else ["swept"]  # a target's threshold is found without the sweep
        setting = _identifying_facts(self.setting, *beside)
        return digest({"group": self.group, "kind": self.kind, "setting": setting})

    @property
    def place(self) -> PurePosixPath:
        """The setting's folder: model, condition and setting."""
        return PurePosixPath(*(slug(part.name) for part in (self.model, self.condition, self.setting)))

    @property
    def video(self) -> PurePosixPath:
        """The path of its video without suffix, named as VBench expects it."""
        return "videos" / self.place / f"{file_stem(self.prompt)}-{self.seed_index}"

    @property
    def trace(self) -> PurePosixPath:
        """The path of its trace."""
        return PurePosixPath("shadow" if self.kind == "shadow" else "traces") / self.place / f"{self.key}.json"

    @property
    def reference(self) -> PurePosixPath:
        """The path of the baseline's exact frames, kept until the group is finished."""
        return PurePosixPath("references") / f"{self.group}.npy"

    @property
    def reference_sound(self) -> PurePosixPath:
        """The path of the baseline's exact sound, of models that make one; kept as long."""
        return self.reference.with_suffix(".npz")

    @property
    def frames(self) -> PurePosixPath:
        """The path of its own frames while they wait for a metric."""
        return PurePosixPath("frames") / self.group / f"{self.key}.npy"


JobBatch = tuple[BenchJob, ...]  # of one call: same model, condition and setting
JobGroup = tuple[JobBatch, ...]


def _identifying_facts(part: PlanModel | PlanCondition | PlanSetting, *left_out: str) -> dict[str, Any]:
    """The fields of a plan's part that decide a result."""
    return {name: value for name, value in vars(part).items() if name not in left_out}


def iterate_jobs(groups: Iterable[JobGroup]) -> Iterator[BenchJob]:
    """All jobs of these groups."""
    return (job for group in groups for batch in group for job in batch)


def expand_plan(
    plan: BenchPlan, prompts: Sequence[str], others: Mapping[Any, Sequence[str]] = MappingProxyType({})
) -> list[JobGroup]:
    """The groups of a plan, model by model, baselines first; `others` are the prompts of conditions with their own."""
    return [
        tuple(_build_group(plan, model, condition, chunk, (seed, number), tuple(others.get(plan.tune, ()))))
        for model in plan.models
        for condition in plan.conditions_of(model)
        for chunk in _split(list(enumerate(others.get(condition.prompts, prompts))), plan.batch_of(model))
        for number, seed in enumerate(plan.seeds)
    ]


def _build_group(
    plan: BenchPlan,
    model: PlanModel,
    condition: PlanCondition,
    prompts: Sequence[tuple[int, str]],
    seed: tuple[int, int],
    tune: tuple[str, ...],
) -> Iterator[JobBatch]:
    def jobs(kind: JobKind, setting: PlanSetting) -> list[BenchJob]:
        return [BenchJob(kind, model, condition, setting, prompt, index, *seed) for index, prompt in prompts]

    yield tuple(jobs("baseline", BASELINE_SETTING))
    settings = [replace(s, tune=tune) if s.target else s for s in plan.settings_of(model, condition)]
    for setting in settings:
        yield from map(tuple, _split(jobs("cached", setting), setting.batch or len(prompts)))
    chosen = [setting for setting in settings if setting.name in plan.accuracy.settings]
    for place, (index, _) in enumerate(prompts):
        if chosen and index < plan.accuracy.prompts and seed[1] == 0:
            yield from (tuple(jobs("shadow", setting)[place : place + 1]) for setting in (EVERY_STEP, *chosen))


def _split(things: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    """Split a sequence into pieces of at most `size`.

    Example:
        >>> list(_split([1, 2, 3], 2))
        [[1, 2], [3]]
    """
    return (things[start : start + size] for start in range(0, len(things), size))
