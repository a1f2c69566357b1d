"""The record of one step, for one stream of one sample: plain frozen data."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRecord:
    """One line of a trace.

    `None` means unknown: a follower measures nothing, the first step has no predecessor, and the last three fields
    need a computed step and an earlier one to compare with. In shadow mode (`RunRecord.shadow`) the model also runs
    at steps that count as reused, so `reuse_error` is known there too.

    Example:
        >>> StepRecord(index=0, stream="cond", computed=True, reason="align").sample
        0
    """

    index: int  # step in the run
    stream: str  # guidance branch: "cond", "uncond", "0", "1", ...
    computed: bool  # the decision; False: the output was predicted
    reason: str  # why: "align", "last step", "gate", "follows", ...
    sample: int = 0  # which sample of the batch
    time: float | None = None  # the model's own timestep
    sigma: float | None = None  # noise level in [0, 1]
    input_change: float | None = None  # mean |x_i - x_(i-1)|
    predicted_change: float | None = None  # what this step adds to the accumulated error
    accumulated: float | None = None  # accumulated error when the step was decided
    threshold: float | None = None
    ratio: float | None = None  # estimate used for the decision
    variance: float | None = None
    gain: float | None = None  # of the newest correction
    measured_ratio: float | None = None  # mean |y_i - y_j| / mean |x_i - x_j|
    output_change: float | None = None  # mean |y_i - y_j| / mean |y_i|
    reuse_error: float | None = None  # mean |y_i - prediction| / mean |y_i|
    # the same of the model's other outputs, by name: "audio_sample" in a dataclass or dictionary, "1" in a tuple
    other_errors: Mapping[str, float] | None = field(default=None, hash=False)


def label_output(name: str) -> str:
    """Name an output for a reader.

    Example:
        >>> label_output("audio_sample"), label_output("1")
        ('audio_sample', 'output 1')
    """
    return f"output {name}" if name[:1].isdigit() else name
