"""What happened, step by step: plain frozen data, JSON in and out."""

from navicache.records.files import atomic_file
from navicache.records.run import RunRecord, Scalar
from navicache.records.step import StepRecord
from navicache.records.summary import headline, summarise, tally
from navicache.records.trace import Trace

__all__ = ["RunRecord", "Scalar", "StepRecord", "Trace", "atomic_file", "headline", "summarise", "tally"]
