"""What happened, step by step: plain frozen data, JSON in and out."""

from navicache.records.files import atomic_file
from navicache.records.run import Belief, RunRecord, Scalar, ShadowKind
from navicache.records.samples import by_sample
from navicache.records.step import StepRecord
from navicache.records.summary import headline, summarise, tally
from navicache.records.trace import Trace
from navicache.records.truth import (
    BELIEF_WORDS,
    Checked,
    checked_steps,
    max_error,
    share_believed,
    share_below,
    shows_growth,
)

__all__ = [
    "BELIEF_WORDS",
    "Belief",
    "Checked",
    "RunRecord",
    "Scalar",
    "ShadowKind",
    "StepRecord",
    "Trace",
    "atomic_file",
    "by_sample",
    "checked_steps",
    "headline",
    "max_error",
    "share_believed",
    "share_below",
    "shows_growth",
    "summarise",
    "tally",
]
