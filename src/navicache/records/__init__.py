"""Records of runs and steps as plain frozen data, saved as JSON."""

from typing import TYPE_CHECKING

from navicache.records.atomic_files import open_atomic_file
from navicache.records.reuse_checks import (
    ERROR_FIELD_LABELS,
    ReuseCheck,
    collect_reuse_checks,
    compute_share_within_limit,
    compute_share_within_prediction,
    ratio_is_error_growth,
    read_max_error,
)
from navicache.records.run import ErrorField, RunRecord, SettingValue, ShadowMode
from navicache.records.sample_split import split_by_sample
from navicache.records.step import StepRecord, label_output
from navicache.records.summary import describe_savings, format_headline, summarise
from navicache.records.trace import Trace
from navicache.renamed import resolve_renamed

__all__ = [
    "ERROR_FIELD_LABELS",
    "ErrorField",
    "ReuseCheck",
    "RunRecord",
    "SettingValue",
    "ShadowMode",
    "StepRecord",
    "Trace",
    "collect_reuse_checks",
    "compute_share_within_limit",
    "compute_share_within_prediction",
    "describe_savings",
    "format_headline",
    "label_output",
    "open_atomic_file",
    "ratio_is_error_growth",
    "read_max_error",
    "split_by_sample",
    "summarise",
]

if not TYPE_CHECKING:  # type checkers know the new names only
    __getattr__ = resolve_renamed(__name__)
