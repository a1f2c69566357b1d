"""The record of one run (one generation): its settings and its steps."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from navicache.records.step import StepRecord

SettingValue: TypeAlias = str | int | float | bool | None
ShadowMode: TypeAlias = Literal["cached", "full"]  # which trajectory the run was on
ErrorField: TypeAlias = Literal["predicted_change", "accumulated"]  # fields of `StepRecord`

STEP_FIELDS = tuple(entry.name for entry in fields(StepRecord))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run, step by step, in the order of the calls.

    The first stream called in a step leads it: it is the one that decides, so the counts below are counts of leading
    records, over all samples.

    Example:
        >>> decisions = (True, True, False, True)
        >>> steps = (StepRecord(index=i, stream="cond", computed=c, reason="gate") for i, c in enumerate(decisions))
        >>> run = RunRecord(model="Toy", policy="navicache", settings={"threshold": 0.05}, steps=tuple(steps))
        >>> run.computed, run.length, round(run.speedup, 2), run.computed_steps()
        (3, 4, 1.33, (0, 1, 3))
    """

    model: str
    policy: str
    # knobs of the policy
    settings: Mapping[str, SettingValue] = field(default_factory=dict[str, SettingValue], hash=False)
    started: str = "first call"  # why the run began: "pipeline reset", "new timesteps", "conditioning changed", ...
    total: int | None = None  # steps of the whole run, where known
    steps: tuple[StepRecord, ...] = ()
    notes: tuple[str, ...] = ()  # what the user should know
    finished: bool = False
    shadow: ShadowMode | None = None  # the model ran at every step; `computed` is the decision alone
    belief: ErrorField | None = None  # the field of a step with the predicted error of a reuse; None: there is none

    def __post_init__(self) -> None:
        """Raise ValueError for settings that JSON cannot hold and for steps recorded twice."""
        _check_settings(self.settings)
        object.__setattr__(self, "settings", dict(self.settings))  # a copy: the caller's may change
        places = Counter((step.sample, step.stream, step.index) for step in self.steps)
        for (sample, stream, index), count in places.items():
            if count > 1:
                message = f"step {index} of stream {stream!r}, sample {sample}, is recorded {count} times"
                raise ValueError(f"{message}: keep one record each, or begin a new run")

    @property
    def lead(self) -> str | None:
        """Name of the stream that led the first step; None before it. Guidance in a window may change the leader."""
        return self.steps[0].stream if self.steps else None

    @property
    def leading(self) -> tuple[StepRecord, ...]:
        """The record of every step that decided it: the first of each step and sample."""
        first: dict[tuple[int, int], StepRecord] = {}
        for step in self.steps:
            first.setdefault((step.sample, step.index), step)
        return tuple(first.values())

    @property
    def streams(self) -> tuple[str, ...]:
        """Names of the streams, in the order of their first calls."""
        return tuple(dict.fromkeys(step.stream for step in self.steps))

    @property
    def sample_numbers(self) -> tuple[int, ...]:
        """The sample numbers, in order."""
        return tuple(sorted({step.sample for step in self.steps}))

    @property
    def samples(self) -> int:
        """The number of samples."""
        return len(self.sample_numbers)

    @property
    def length(self) -> int:
        """Steps seen, summed over the samples."""
        return len(self.leading)

    @property
    def computed(self) -> int:
        """Steps whose leading stream was computed, summed over the samples."""
        return sum(step.computed for step in self.leading)

    @property
    def speedup(self) -> float:
        """Steps seen per step computed: by count, not by the clock; 1 before the first step."""
        if not self.computed:
            return math.inf if self.length else 1.0
        return self.length / self.computed

    def steps_of(self, sample: int = 0, stream: str | None = None) -> tuple[StepRecord, ...]:
        """The steps of one sample: of the named stream, or of the leading stream if none is named."""
        if not self.steps:
            return ()
        if sample not in self.sample_numbers:
            raise ValueError(f"no sample {sample} in this run: choose from {list(self.sample_numbers)}")
        if stream is not None and stream not in self.streams:
            raise ValueError(f"no stream {stream!r} in this run: choose from {list(self.streams)}")
        if stream is None:
            return tuple(step for step in self.leading if step.sample == sample)
        return tuple(step for step in self.steps if (step.sample, step.stream) == (sample, stream))

    def computed_steps(self, sample: int = 0, stream: str | None = None) -> tuple[int, ...]:
        """Indices of the steps that were computed, the schedule of `steps_of`."""
        return tuple(step.index for step in self.steps_of(sample, stream) if step.computed)

    def column(self, name: str, sample: int = 0, stream: str | None = None) -> tuple[Any, ...]:
        """One field of `StepRecord` over the steps of `steps_of`."""
        if name not in STEP_FIELDS:
            raise ValueError(f"no field {name!r} in a step: choose from {', '.join(STEP_FIELDS)}")
        return tuple(getattr(step, name) for step in self.steps_of(sample, stream))


def _check_settings(settings: Mapping[str, object]) -> None:
    for name, value in settings.items():
        if value is not None and not isinstance(value, (str, int, float)):
            kind = type(value).__name__
            raise ValueError(f"setting {name!r} is a {kind}: give a number, text, true, false or None")
