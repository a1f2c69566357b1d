"""Small runs to draw, and the panels of a drawing."""

import functools
from typing import Any

from matplotlib.figure import Figure
from tests.records import common

from navicache.records import RunRecord, StepRecord


def adaptive_run(total: int = 12, sample: int = 0, streams: tuple[str, ...] = ("cond", "uncond")) -> list[StepRecord]:
    """Align three steps, then compute every third."""
    steps: list[StepRecord] = []
    for i in range(total):
        computed = i < 3 or (i + sample) % 3 == 0
        measured: dict[str, Any] = {"measured_ratio": 2.0 + 0.1 * i, "reuse_error": 0.01} if computed and i else {}
        known: dict[str, Any] = (
            {"ratio": 2.0, "variance": 0.04, "accumulated": 0.02 * (i % 4), "threshold": 0.05} if i > 1 else {}
        )
        place: dict[str, Any] = {"index": i, "computed": computed, "sample": sample}
        steps.append(StepRecord(stream=streams[0], reason="gate", **place, **known, **measured))
        steps += [StepRecord(stream=name, reason="follows", **place) for name in streams[1:]]
    return steps


run_of = functools.partial(common.run_of, total=12)


def static_run() -> RunRecord:
    steps = [StepRecord(index=i, stream="0", computed=i % 2 == 0, reason="schedule") for i in range(6)]
    return run_of(steps, policy="static", total=6)


def panels(figure: Figure) -> dict[str, Any]:
    return {str(axes.get_label()): axes for axes in figure.axes}
