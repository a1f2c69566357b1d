"""Small parts of an engine by hand: rows, readings that have crossed, moments and schemes."""

from typing import Any

import torch

from navicache.engine.decide.measurements import Measurements
from navicache.engine.decide.trace_recorder import TraceRecorder
from navicache.engine.tensors.device_readings import DeviceReading, fetch_readings
from navicache.engine.tensors.rows import Rows
from navicache.engine.tracking.batch_samples import BatchSamples
from navicache.engine.tracking.run_tracker import StepPosition
from navicache.policies import Outcome, Predictor, ResidualHold, Scheme
from navicache.policies.fixed_schedules import IndexGate

WATCHES_NOTHING = Measurements(frozenset(), False)


def rows(*values: float, width: int = 2) -> Rows:
    """A batch whose rows hold one value each."""
    return (torch.tensor(values, dtype=torch.float32).reshape(-1, 1).repeat(1, width),)


def first(batch: Rows) -> list[float]:
    """The first value of every row."""
    return [row.flatten()[0].item() for chunk in batch for row in chunk]


def arrived(*values: float) -> DeviceReading:
    """A reading that has crossed."""
    reading = DeviceReading(torch.tensor(values))
    reading.set_values([*map(float, values)])
    return reading


def read(readings: dict[str, DeviceReading]) -> dict[str, list[float]]:
    """What readings say, fetched."""
    fetch_readings(readings.values())
    return {name: reading.values for name, reading in readings.items()}


def moment(index: int, total: int | None = 10) -> StepPosition:
    """A step of a run that has been followed from its start."""
    return StepPosition(index, index, total, None, None)


def scheme(gate: Any = None, predictor: Predictor[Any] | None = None, apart: Predictor[Any] | None = None) -> Scheme:
    """A scheme for the whole model: by default it computes always and holds the residual."""
    return Scheme("model", gate or IndexGate(), predictor or ResidualHold(), False, difference_predictor=apart)


def recorder(of: Scheme, steps: int = 10) -> TraceRecorder:
    """An open trace of a run that counts its steps from 0, some of which have begun."""
    made = TraceRecorder(of.monitor or of.gate, model="toy", policy="custom", settings={})
    made.begin_run("first call")
    for number in range(steps):
        made.begin_step(number, None, None)
    return made


def batch(samples: int = 1, branches: int = 1) -> BatchSamples:
    """A batch of samples that are told apart; the rows of one sample are next to each other."""
    made = BatchSamples(samples * branches, is_layout_known=True)
    made.layout = tuple(tuple(range(s * branches, (s + 1) * branches)) for s in range(samples))
    return made


def told_apart(batch: BatchSamples) -> None:
    """Every row turns out to be a sample."""
    for change in (0, 1):
        batch.queue_layout_check(rows(*(change + row for row in range(batch.row_count))))
    fetch_readings(batch.list_pending_readings())
    batch.resolve_layout()


def taught(index: int, **measured: Any) -> Outcome:
    """What a compute at this step taught."""
    return Outcome(index=index, local_index=index, **measured)
