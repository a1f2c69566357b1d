"""Read a plan from its TOML file; unknown keys and wrong values are errors that say what is allowed."""

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

from navicache.evaluation.bench.plan import (
    BenchPlan,
    ClockMode,
    PageChapter,
    PlanModel,
    PlanPrompts,
    PromptOrigin,
    ShadowRuns,
)
from navicache.evaluation.bench.plan_readers import (
    PlanErrors,
    ValueReader,
    check_keys,
    read_all,
    read_count,
    read_int,
    read_list,
    read_positive_int,
    read_positive_number,
    read_table,
    read_tables,
    read_text,
    read_texts,
    reader_of_choice,
    reader_of_choices,
)
from navicache.evaluation.bench.plan_sweeps import add_unlisted_policies, expand_conditions, expand_settings
from navicache.evaluation.comparison import METRICS
from navicache.policies import POLICIES


def read_plan(path: Path) -> BenchPlan:
    """Read a plan file; `PlanErrors` lists all its problems."""
    if not path.is_file():
        raise ValueError(f"no plan {path}: give a TOML file (plans/ has some)")
    try:
        return parse_plan(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML: {error}") from error
    except PlanErrors as error:
        raise PlanErrors(*(f"{path}: {problem}" for problem in error.problems)) from error
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def parse_plan(content: str) -> BenchPlan:
    """Read a plan from TOML text.

    Example:
        >>> plan = parse_plan('''
        ... name = "try"
        ... prompts = { source = "pocket", count = 2 }
        ... models = [{ name = "pocket", model = "pocket" }]
        ... settings = [{ name = "N", policy = "navicache", sweep = { threshold = [0.05, 0.1] } }]
        ... ''')
        >>> [setting.name for setting in plan.settings]
        ['N threshold=0.05', 'N threshold=0.1']
    """
    return _read_table(BenchPlan, {"settings": None, **tomllib.loads(content)}, "the plan", PLAN)


def _read_table(kind: Any, value: Any, place: str, reads: Mapping[str, ValueReader]) -> Any:
    required = REQUIRED[kind]
    known = {key: entry for key, entry in read_table(value, place).items() if key in reads}
    read = (partial(reads[key], entry, f"{place}.{key}") for key, entry in known.items())
    _, *found = read_all([partial(check_keys, value, place, tuple(reads), required), *read])
    return kind(**dict(zip(known, found, strict=True)))


def _read_tables(value: Any, place: str, build: Callable[[Any, str], Any]) -> list[Any]:
    """Build one value from each table of a list."""
    return read_all(partial(build, entry, at) for entry, at in read_tables(value, place))


def _read_expanded(value: Any, place: str, build: Callable[[Any, str], Any]) -> tuple[Any, ...]:
    """Build values from each table of a list; a table may stand for several."""
    return tuple(
        part for parts in _read_tables(value, place, lambda entry, at: list(build(entry, at))) for part in parts
    )


PROMPTS: dict[str, ValueReader] = {
    "source": reader_of_choice(*get_args(PromptOrigin)),
    "count": read_positive_int,
    "skip": read_count,
    "file": read_text,
    "dimensions": read_texts,
    "every": read_positive_int,
}
_read_prompts: ValueReader = partial(_read_table, PlanPrompts, reads=PROMPTS)
TIMING: dict[str, ValueReader] = {**dict.fromkeys(("step", "rest"), read_positive_number), "source": read_text}
MODEL: dict[str, ValueReader] = {
    **dict.fromkeys(("name", "model", "device", "published"), read_text),
    "dtype": reader_of_choice("auto", "float32", "bfloat16", "float16"),
    "offload": reader_of_choice("none", "model", "sequential", "group"),
    "fps": read_positive_int,
    "batch": read_positive_int,
    "shift": read_positive_number,
    "call": read_table,
    "timing": lambda v, place: _read_table(dict, v, place, TIMING),
}
ACCURACY: dict[str, ValueReader] = {"prompts": read_int, "settings": read_texts}
CHAPTER: dict[str, ValueReader] = {"title": read_text, "text": read_text, "shows": read_texts}
PLAN: dict[str, ValueReader] = {
    "name": read_text,
    "prompts": _read_prompts,
    "models": lambda v, place: tuple(
        _read_tables(v, place, lambda entry, at: _read_table(PlanModel, entry, at, MODEL))
    ),
    "conditions": lambda v, place: _read_expanded(v, place, partial(expand_conditions, read_prompts=_read_prompts)),
    "seeds": lambda v, place: tuple(read_int(entry, place) for entry in read_list(v, place)),
    "accuracy": lambda v, place: _read_table(ShadowRuns, v, place, ACCURACY),
    "tune": _read_prompts,
    "batch": read_positive_int,
    "videos": read_count,
    "traces": read_count,
    "metrics": reader_of_choices(*METRICS),
    "clock": reader_of_choice(*get_args(ClockMode)),
    "chapter": lambda v, place: _read_table(PageChapter, v, place, CHAPTER),
    "ours": lambda v, place: reader_of_choices(*POLICIES)([v] if isinstance(v, str) else v, place),
    "settings": lambda v, _: _read_expanded(add_unlisted_policies(v, POLICIES), "settings", expand_settings),
}
REQUIRED = {
    BenchPlan: ("name", "prompts", "models", "settings"),
    PlanPrompts: ("source",),
    PlanModel: ("name", "model"),
    dict: ("step",),  # of a timing
    ShadowRuns: ("prompts", "settings"),
    PageChapter: ("title",),
}
