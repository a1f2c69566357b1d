"""Expand entries of a plan that stand for several settings or conditions."""

import itertools
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from navicache.evaluation.bench.plan import NO_CACHE, PlanCondition, PlanSetting
from navicache.evaluation.bench.plan_readers import (
    ValueReader,
    check_keys,
    read_list,
    read_positive_int,
    read_positive_number,
    read_share,
    read_table,
    read_text,
    read_texts,
    reader_of_choice,
)
from navicache.integrations.policy_choice import DEFAULT_POLICY
from navicache.models import QUALITIES, SPEEDUP_OF_QUALITY

EVERY_OTHER = "*"  # a setting with this policy stands for every policy that the plan does not name
SETTING_KEYS = (
    *("name", "policy", "mode", "modes", "knobs", "call", "sweep", "shares", "models", "batch"),
    *("calibration", "calibrate", "conditions", "series", "targets", "settings", "quality"),
)
OWN_OF_TUNED = ("policy", "mode", "modes", "knobs", "sweep", "shares", "calibration", "calibrate", "targets")
CONDITION_KEYS = ("name", "scheduler", "scheduler_options", "call", "sweep", "models", "prompts")


def add_unlisted_policies(settings: Any, policies: Collection[str]) -> Any:
    """Replace a setting with `policy = "*"` by one for each policy that no other setting names.

    Example:
        >>> add_unlisted_policies([{"policy": "static"}, {"policy": "*"}], ["static", "random"])
        [{'policy': 'static'}, {'policy': 'random'}]
    """
    if not isinstance(settings, list) or {"policy": EVERY_OTHER} not in settings:
        return settings
    listed = [entry for entry in settings if entry != {"policy": EVERY_OTHER}]
    named = {entry.get("policy") for entry in listed if isinstance(entry, dict)}
    return [*listed, *({"policy": policy} for policy in policies if policy not in named)]


def expand_settings(entry: Any, place: str) -> Iterator[PlanSetting]:
    """A setting for every mode, share, and combination of the swept knobs."""
    entry, tuned = _read_tuned(entry, place)
    check_keys(entry, place, SETTING_KEYS, ("policy",))
    policy = read_text(entry["policy"], f"{place}.policy")
    name = read_text(entry.get("name", policy), f"{place}.name")
    given, call = (read_table(entry.get(key, {}), f"{place}.{key}") for key in ("knobs", "call"))
    knobs = {knob: tuple(v) if isinstance(v, list) else v for knob, v in given.items()}  # as policies do
    lists = {key: read_texts(entry.get(key, []), f"{place}.{key}") for key in ("models", "conditions", "calibrate")}
    same: dict[str, Any] = {"policy": policy, "call": call, **lists, **tuned}
    same["calibration"] = read_text(entry.get("calibration", ""), f"{place}.calibration")
    same["batch"] = read_positive_int(entry["batch"], f"{place}.batch") if "batch" in entry else None
    reads = (_read_modes, _read_shares, _read_targets, _read_sweep)
    points: list[Any] = list(itertools.product(*(read(entry, place) for read in reads)))
    same["series"] = read_text(entry.get("series", name if len(points) > 1 else ""), f"{place}.series")
    many, goals = (len(entry.get(key, ())) > 1 for key in ("modes", "targets"))
    for mode, part, goal, point in points:
        swept = {**({} if part is None else {"share": part}), **({"target": goal} if goals else {}), **point}
        words = [name, *([mode] if many else []), *(f"{knob}={value}" for knob, value in swept.items())]
        given = {"mode": mode, "share": part, "target": goal, "knobs": {**knobs, **point}, "swept": swept}
        yield PlanSetting(" ".join(words), **given, **same)


def expand_conditions(entry: Any, place: str, read_prompts: ValueReader) -> Iterator[PlanCondition]:
    """A condition for every combination of the swept call arguments."""
    check_keys(entry, place, CONDITION_KEYS, ("name",))
    name, scheduler = (read_text(entry.get(key, ""), f"{place}.{key}") for key in ("name", "scheduler"))
    options, call = (read_table(entry.get(key, {}), f"{place}.{key}") for key in ("scheduler_options", "call"))
    models = read_texts(entry.get("models", []), f"{place}.models")
    prompts = read_prompts(entry["prompts"], f"{place}.prompts") if "prompts" in entry else None
    for point in _read_sweep(entry, place):
        words = " ".join([name, *(f"{argument}={value}" for argument, value in point.items())])
        yield PlanCondition(words, scheduler, options, {**call, **point}, models, prompts)


def _read_tuned(entry: Any, place: str) -> tuple[Any, dict[str, Any]]:
    """The entry with the default policy in place of settings and quality, and these two; a file is read later."""
    named = {key: entry[key] for key in ("settings", "quality") if key in read_table(entry, place)}
    if not named:
        return entry, {}
    if own := [key for key in OWN_OF_TUNED if key in entry]:
        raise ValueError(f"{place} has {' and '.join(named)}, which have their own policy: leave out {', '.join(own)}")
    settings = read_text(named.get("settings", ""), f"{place}.settings")
    quality = reader_of_choice(*QUALITIES)(named["quality"], f"{place}.quality") if "quality" in named else None
    knobs = {"speedup": SPEEDUP_OF_QUALITY[quality]} if quality and not settings else {}
    label = " ".join(filter(None, (PurePath(settings).stem, quality)))
    plain = {"name": label, **entry, "policy": DEFAULT_POLICY, "knobs": knobs}
    return plain, {"settings": settings, "quality": quality}


def _read_modes(entry: Mapping[str, Any], place: str) -> tuple[Any, ...]:
    if "modes" not in entry:
        return (entry.get("mode"),)
    if "mode" in entry:
        raise ValueError(f"{place} has mode and modes: give one of them")
    return read_texts(entry["modes"], f"{place}.modes")


def _read_shares(entry: Mapping[str, Any], place: str) -> tuple[float | None, ...]:
    if "shares" not in entry:
        return (None,)
    if entry["policy"] != NO_CACHE:
        raise ValueError(f"{place}.shares are of the steps of a run without a cache: give policy = {NO_CACHE!r}")
    return tuple(read_share(part, f"{place}.shares") for part in read_list(entry["shares"], f"{place}.shares"))


def _read_targets(entry: Mapping[str, Any], place: str) -> tuple[float | None, ...]:
    if "targets" not in entry:
        return (None,)
    goals = read_list(entry["targets"], f"{place}.targets")
    return tuple(read_positive_number(goal, f"{place}.targets") for goal in goals)


def _read_sweep(entry: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    swept = read_table(entry.get("sweep", {}), f"{place}.sweep")
    values = [read_list(values, f"{place}.sweep.{name}") for name, values in swept.items()]
    return [dict(zip(swept, point, strict=True)) for point in itertools.product(*values)]
