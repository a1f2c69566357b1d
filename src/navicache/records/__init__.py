"""What happened, step by step: plain frozen data, JSON in and out."""

from navicache.records.atomic_files import open_atomic_file
from navicache.records.run import ErrorField, RunRecord, SettingValue, ShadowMode
from navicache.records.sample_split import split_by_sample
from navicache.records.step import StepRecord
from navicache.records.summary import format_headline, summarise, describe_savings
from navicache.records.trace import Trace
from navicache.records.reuse_checks import (
    ERROR_FIELD_LABELS,
    ReuseCheck,
    collect_reuse_checks,
    read_max_error,
    compute_share_within_prediction,
    compute_share_within_limit,
    ratio_is_error_growth,
)

__all__ = [
    "ERROR_FIELD_LABELS",
    "ErrorField",
    "ReuseCheck",
    "RunRecord",
    "SettingValue",
    "ShadowMode",
    "StepRecord",
    "Trace",
    "open_atomic_file",
    "split_by_sample",
    "collect_reuse_checks",
    "format_headline",
    "read_max_error",
    "compute_share_within_prediction",
    "compute_share_within_limit",
    "ratio_is_error_growth",
    "summarise",
    "describe_savings",
]
