"""Entries of a plan that stand for several: settings along modes, knobs or shares of the steps, swept conditions."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from navicache.evaluation.bench.plan import NO_CACHE, Condition, Setting
from navicache.evaluation.bench.plan_values import check_keys, entries, positive, share, table, text, texts

SETTING_KEYS = (
    *("name", "policy", "mode", "modes", "knobs", "call", "sweep", "shares", "models", "batch"),
    *("calibration", "calibrate"),
)
CONDITION_KEYS = ("name", "scheduler", "scheduler_options", "call", "sweep", "models")


def settings_of(entry: Any, place: str) -> Iterator[Setting]:
    """The settings an entry stands for: one for every mode, share, and combination of the swept knobs."""
    check_keys(entry, place, SETTING_KEYS, ("policy",))
    policy = text(entry["policy"], f"{place}.policy")
    name = text(entry.get("name", policy), f"{place}.name")
    given, call = (table(entry.get(key, {}), f"{place}.{key}") for key in ("knobs", "call"))
    knobs = {
        knob: tuple(value) if isinstance(value, list) else value for knob, value in given.items()
    }  # as policies do
    same: dict[str, Any] = {"policy": policy, "call": call, "models": texts(entry.get("models", []), f"{place}.models")}
    same["calibration"] = text(entry.get("calibration", ""), f"{place}.calibration")
    same["calibrate"] = texts(entry.get("calibrate", []), f"{place}.calibrate")
    same["batch"] = positive(entry["batch"], f"{place}.batch") if "batch" in entry else None
    points = list(itertools.product(_modes(entry, place), _shares(entry, place), _points(entry, place)))
    same["series"] = name if len(points) > 1 else ""
    many = "modes" in entry and len(entry["modes"]) > 1
    for mode, part, point in points:
        swept = point if part is None else {"share": part, **point}
        words = [name, *([mode] if many else []), *(f"{knob}={value}" for knob, value in swept.items())]
        yield Setting(" ".join(words), mode=mode, share=part, knobs={**knobs, **point}, swept=swept, **same)


def conditions_of(entry: Any, place: str) -> Iterator[Condition]:
    """The conditions an entry stands for: one for every combination of the swept arguments of the call."""
    check_keys(entry, place, CONDITION_KEYS, ("name",))
    name, scheduler = (text(entry.get(key, ""), f"{place}.{key}") for key in ("name", "scheduler"))
    options, call = (table(entry.get(key, {}), f"{place}.{key}") for key in ("scheduler_options", "call"))
    models = texts(entry.get("models", []), f"{place}.models")
    for point in _points(entry, place):
        words = " ".join([name, *(f"{argument}={value}" for argument, value in point.items())])
        yield Condition(words, scheduler, options, {**call, **point}, models)


def _modes(entry: Mapping[str, Any], place: str) -> tuple[Any, ...]:
    if "modes" not in entry:
        return (entry.get("mode"),)
    if "mode" in entry:
        raise ValueError(f"{place} has mode and modes: give one of them")
    return texts(entry["modes"], f"{place}.modes")


def _shares(entry: Mapping[str, Any], place: str) -> tuple[float | None, ...]:
    if "shares" not in entry:
        return (None,)
    if entry["policy"] != NO_CACHE:
        raise ValueError(f"{place}.shares are of the steps of a run without a cache: give policy = {NO_CACHE!r}")
    return tuple(share(part, f"{place}.shares") for part in entries(entry["shares"], f"{place}.shares"))


def _points(entry: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    swept = table(entry.get("sweep", {}), f"{place}.sweep")
    values = [entries(values, f"{place}.sweep.{name}") for name, values in swept.items()]
    return [dict(zip(swept, point, strict=True)) for point in itertools.product(*values)]
