"""Small runs, and the document of one."""

from navicache.records import RunRecord, StepRecord

STEP = {"index": 0, "stream": "cond", "computed": True, "reason": "align"}
RUN = {"model": "Toy", "policy": "navicache", "steps": [STEP]}
DOCUMENT = {"format": "navicache trace", "version": 1, "runs": [RUN]}


def row(schedule: str, stream: str = "cond", sample: int = 0, **fields) -> list[StepRecord]:
    """Steps from a picture: C computed, r reused."""
    return [
        StepRecord(index=i, stream=stream, sample=sample, computed=mark == "C", reason="gate", **fields)
        for i, mark in enumerate(schedule)
    ]


def run_of(*rows: list[StepRecord], **fields) -> RunRecord:
    """A run of all these steps."""
    steps = tuple(step for steps in rows for step in steps)
    return RunRecord(**{"model": "Toy", "policy": "navicache", "steps": steps, **fields})
