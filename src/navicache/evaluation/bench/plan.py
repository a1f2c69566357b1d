"""What a benchmark measures, as frozen data that is checked when it is built."""

import fnmatch
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from navicache.evaluation.bench.names import slug
from navicache.evaluation.bench.targets import check_target, check_tuning
from navicache.evaluation.comparison import METRICS
from navicache.integrations.policy_choice import DEFAULT_POLICY
from navicache.models import CALIBRATED_METHODS, MODES, Quality
from navicache.policies import build_policy
from navicache.policies.knob_checks import check_choice

PromptOrigin = Literal["pocket", "pocket-tuning", "vbench", "file"]
ClockMode = Literal["group", "beside"]
NO_CACHE, BASELINE, STEPS = "none", "baseline", "num_inference_steps"  # "none": a policy for rows as "40 % steps"
DEFAULT_OURS = (DEFAULT_POLICY,)
CallArguments = Mapping[str, Any]  # arguments of a pipeline's call


@dataclass(frozen=True)
class PlanPrompts:
    """Where the prompts come from."""

    source: PromptOrigin
    count: int | None = None  # the first of them; None takes all
    skip: int = 0  # of the first, before they are counted
    file: str | None = None  # one prompt a line, beside the plan
    dimensions: tuple[str, ...] = ()  # of VBench; none named takes all
    every: int = 1  # only every so many-th, after `skip`: VBench's list goes dimension by dimension


@dataclass(frozen=True)
class PlanModel:
    """A model, how it is loaded and how it is called."""

    name: str
    model: str  # "pocket", "pocket:NAME", a diffusers folder, or a hub id
    dtype: str = "auto"
    device: str = "auto"
    offload: str = "none"
    fps: int = 16
    published: str = ""  # whose published rows stand beside the measured ones
    call: CallArguments = field(default_factory=dict[str, Any], hash=False)
    batch: int | None = None  # prompts in one call; None: as many as the plan says
    shift: float | None = None  # flow shift of its scheduler; None keeps the one it was saved with
    timing: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)  # for --list, at the sizes of `call`


@dataclass(frozen=True)
class PlanCondition:
    """Scheduler, steps and sizes."""

    name: str = "default"
    scheduler: str = ""  # a class of diffusers, or module.Class; empty keeps the model's own
    scheduler_options: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    call: CallArguments = field(default_factory=dict[str, Any], hash=False)
    models: tuple[str, ...] = ()  # of these alone; none named means all
    prompts: PlanPrompts | None = None  # in place of the plan's


@dataclass(frozen=True)
class PlanSetting:
    """A row of the table: a policy with its mode or knobs, or no cache and another call."""

    name: str
    policy: str
    mode: str | None = None
    knobs: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    call: CallArguments = field(default_factory=dict[str, Any], hash=False)
    series: str = ""  # settings of one series are points of one curve
    swept: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)  # knobs that vary along it
    models: tuple[str, ...] = ()  # of these alone; none named means all
    calibration: str = ""  # file of `navicache calibrate`, or "pocket": that of the embedded model
    calibrate: tuple[str, ...] = ()  # prompts to measure one with, on the model and under the condition
    share: float | None = None  # of the condition's steps, where there is no cache
    batch: int | None = None  # prompts in one call, where fewer than the others take
    conditions: tuple[str, ...] = ()  # under these alone, with * for any text; none named means all
    target: float | None = None  # steps per computed step, met by the threshold
    tune: tuple[str, ...] = ()  # prompts that it is found with
    settings: str = ""  # file of `navicache tune`, whose choice is the policy and the knobs here
    quality: Quality | None = None  # which of its choices; without a file the policy and the speed-up here

    def __post_init__(self) -> None:
        """Refuse a policy or knob that does not exist before anything is loaded."""
        if self.mode is not None:
            check_choice(f"mode of setting {self.name!r}", self.mode, MODES)
        if self.policy != NO_CACHE:
            build_policy(self.policy, **self.knobs)
        elif self.mode or self.knobs or self.target:
            raise ValueError(f"setting {self.name!r} has no cache: leave out its modes, knobs, sweep and targets")
        check_target(self.name, self.policy, self.target, self.knobs)
        if self.calibrate and self.calibration:
            raise ValueError(f"setting {self.name!r} has calibration and calibrate: give one of them")
        if self.calibrate:
            check_choice(f"policy of setting {self.name!r}, which has `calibrate`,", self.policy, CALIBRATED_METHODS)


@dataclass(frozen=True)
class ShadowRuns:
    """Shadow runs, which show how accurate a policy's predictions are."""

    prompts: int = 0  # the first of them; 0 runs none
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageChapter:
    """The chapter of a plan on a page of several plans."""

    title: str = ""
    text: str = ""
    shows: tuple[str, ...] = ()  # sections of the report, by their anchors; none named shows all


@dataclass(frozen=True)
class BenchPlan:
    """Everything one benchmark measures."""

    name: str
    prompts: PlanPrompts
    models: tuple[PlanModel, ...]
    settings: tuple[PlanSetting, ...]
    conditions: tuple[PlanCondition, ...] = (PlanCondition(),)
    seeds: tuple[int, ...] = (0,)
    accuracy: ShadowRuns = ShadowRuns()
    batch: int = 1  # prompts in one call
    videos: int | None = None  # of how many prompts they are kept; None keeps all, as for traces
    traces: int | None = None
    metrics: tuple[str, ...] = tuple(METRICS)
    clock: ClockMode = "group"  # one plain run a group, or one right before every cached run
    chapter: PageChapter = PageChapter()
    tune: PlanPrompts | None = None  # that thresholds of targets are found with
    ours: tuple[str, ...] = DEFAULT_OURS  # the policy whose lead is shown, then others that do not count as rivals

    def __post_init__(self) -> None:
        """Refuse parts that would share a folder, and references to parts that do not exist."""
        names = [model.name for model in self.models]
        _check_names("models", names)
        _check_names("conditions", [condition.name for condition in self.conditions], several=True)
        _check_names("settings", [setting.name for setting in self.settings], several=True)
        _check_names("seeds", [str(seed) for seed in self.seeds])
        _check_known("accuracy.settings", self.accuracy.settings, [setting.name for setting in self.settings])
        for kind, parts in (("condition", self.conditions), ("setting", self.settings)):
            for part in parts:
                _check_known(f"models of {kind} {part.name!r}", part.models, names)
        known = [condition.name for condition in self.conditions]
        for pattern in dict.fromkeys(pattern for setting in self.settings for pattern in setting.conditions):
            _check_known("conditions of a setting", fnmatch.filter(known, pattern) or [pattern], known)
        check_tuning(self.tune, [setting.name for setting in self.settings if setting.target])
        if self.clock == "beside" and max(map(self.batch_of, self.models)) > 1:
            raise ValueError("clock = 'beside' needs batch = 1: a batch has no times")
        for model in self.models:
            _check_names(f"conditions of {model.name}", [condition.name for condition in self.conditions_of(model)])
            for condition in self.conditions_of(model):
                settings = self.settings_of(model, condition)
                _check_names("settings", [BASELINE, *(setting.name for setting in settings)])
            self._check_shares(model)

    def _check_shares(self, model: PlanModel) -> None:
        for condition in self.conditions_of(model):
            shared = [setting.name for setting in self.settings_of(model, condition) if setting.share]
            if shared and STEPS not in {**model.call, **condition.call}:
                place = f"model {model.name!r} or of condition {condition.name!r}"
                raise ValueError(f"{shared[0]!r} is a share of the steps: give {STEPS} in call of {place}")

    def conditions_of(self, model: PlanModel) -> list[PlanCondition]:
        """The conditions of a model."""
        return [condition for condition in self.conditions if not condition.models or model.name in condition.models]

    def settings_of(self, model: PlanModel, condition: PlanCondition | None = None) -> list[PlanSetting]:
        """The settings of a model, under one condition or under any."""
        own = [setting for setting in self.settings if not setting.models or model.name in setting.models]
        return own if condition is None else [setting for setting in own if _is_measured_under(setting, condition)]

    def batch_of(self, model: PlanModel) -> int:
        """The prompts in one call of a model."""
        return model.batch or self.batch


def _check_names(kind: str, names: Sequence[str], several: bool = False) -> None:
    """Refuse an empty list, and names that would share a folder; `several` allows equal names for different models."""
    if not [name for name in names if name != BASELINE]:
        raise ValueError(f"{kind} is empty: give at least one")
    folder, number = Counter(slug(name) for name in names).most_common(1)[0]
    if number > 1 and not several:
        raise ValueError(f"{number} of the {kind} would be called {folder!r} on the disk: give them other names")


def _is_measured_under(setting: PlanSetting, condition: PlanCondition) -> bool:
    return not setting.conditions or any(fnmatch.fnmatchcase(condition.name, name) for name in setting.conditions)


def _check_known(place: str, names: Sequence[str], known: Sequence[str]) -> None:
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"{place} names {unknown[0]!r}, which the plan has not; known: {', '.join(known)}")
