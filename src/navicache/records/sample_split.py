"""The trace of a batch, taken apart: what happened to each of its samples."""

from dataclasses import replace

from navicache.records.run import RunRecord
from navicache.records.step import StepRecord
from navicache.records.trace import Trace


def split_by_sample(trace: Trace, sample_count: int) -> list[Trace]:
    """A trace for each of `count` samples, as if it had run alone; a decision for all of them counts for each.

    Example:
        >>> steps = (StepRecord(index=0, stream="0", computed=not n, reason="gate", sample=n) for n in range(2))
        >>> batch = Trace((RunRecord(model="Toy", policy="navicache", steps=tuple(steps)),))
        >>> [alone.runs[0].computed for alone in split_by_sample(batch, 2)]
        [1, 0]
    """
    apart = [_split_run_by_sample(run, sample_count) for run in trace.runs]
    return [Trace(tuple(runs[number] for runs in apart)) for number in range(sample_count)]


def _split_run_by_sample(run: RunRecord, sample_count: int) -> list[RunRecord]:
    steps: dict[int, list[StepRecord]] = {}
    for step in run.steps:
        steps.setdefault(step.sample, []).append(replace(step, sample=0))
    if len(steps) < 2:
        return [run] * sample_count
    if set(steps) != set(range(sample_count)):
        raise ValueError(
            f"the cache saw {len(steps)} samples in a batch of {sample_count}: run one at a time, with batch = 1"
        )
    return [replace(run, steps=tuple(steps[number])) for number in range(sample_count)]
