"""A part of a plan: for several processes on one card, each with a folder of its own."""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from navicache.evaluation.bench.jobs import Group, Job, jobs_of
from navicache.evaluation.bench.names import slug

NAMES: dict[str, Callable[[Job], tuple[str, ...]]] = {
    "models": lambda job: (job.model.name,),
    "conditions": lambda job: (job.condition.name,),
    "settings": lambda job: (job.setting.name, job.setting.series),
}


def choose(groups: Sequence[Group], wanted: Sequence[str]) -> list[Group]:
    """What is wanted alone, each as "models=pocket" or "conditions=DDIM*,Euler"; baselines stay where any job does.

    A setting goes by its own name or by that of its series. Names may be written as their folders are, and capitals do
    not count. Where no name is exactly that, those fit that begin with these words.
    """
    found = list(groups)
    for choice in wanted:
        found = _with_names(found, *understood(choice))
    return found


def understood(choice: str) -> tuple[str, list[str]]:
    """The kind of a choice, and its patterns.

    Example:
        >>> understood("conditions=DDIM*,Euler")
        ('conditions', ['DDIM*', 'Euler'])
    """
    kind, _, names = choice.partition("=")
    if kind not in NAMES or not names:
        raise ValueError(f"--only takes {', '.join(f'{kind}=NAME' for kind in NAMES)}, got {choice!r}")
    return kind, names.split(",")


def _with_names(groups: Sequence[Group], kind: str, patterns: Sequence[str]) -> list[Group]:
    known = list(dict.fromkeys(NAMES[kind](job) for job in jobs_of(groups)))
    fitting = {names for pattern in patterns for names in fitting_names(known, kind, pattern)}

    def stays(job: Job) -> bool:
        return NAMES[kind](job) in fitting or (kind == "settings" and job.kind == "baseline")

    kept = (tuple(batch for batch in group if stays(batch[0])) for group in groups)
    return [group for group in kept if any(batch[0].kind != "baseline" for batch in group)]


def fitting_names(known: Sequence[tuple[str, ...]], kind: str, pattern: str) -> list[tuple[str, ...]]:
    """Those called so, each a name and its others; where none is, those that begin so.

    Example:
        >>> fitting_names([("inertial 2x", "inertial"), ("EasyCache", "")], "settings", "easy*")
        [('EasyCache', '')]
    """
    for fits in (is_called, begins_with):
        if found := [names for names in known if any(fits(name, pattern) for name in names if name)]:
            return found
    raise ValueError(f"--only {kind}={pattern} fits none of: {', '.join(names[0] for names in known)}")


def is_called(name: str, pattern: str) -> bool:
    """Whether that is its name, or its folder's.

    Example:
        >>> is_called("Wan 2.1-1.3B", "wan*"), is_called("EasyCache, slow", "easycache-slow"), is_called("N", "M")
        (True, True, False)
    """
    return fnmatchcase(name.lower(), pattern.lower()) or slug(name) == pattern.lower()


def begins_with(name: str, pattern: str) -> bool:
    """Whether it begins with these words.

    Example:
        >>> begins_with("Wan 2.1-1.3B", "wan"), begins_with("Wanderer", "wan")
        (True, False)
    """
    return f"{slug(name)}-".startswith(f"{slug(pattern)}-")


def one_part(groups: Sequence[Group], part: str) -> list[Group]:
    """Every n-th group: "2/5" is the second of five parts.

    Example:
        >>> one_part([((),), ((), ()), ()], "2/3")
        [((), ())]
    """
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", part)
    if not found or int(found[1]) > int(found[2]):
        raise ValueError(f"--part takes a number and how many there are, as 2/5, got {part!r}")
    return list(groups[int(found[1]) - 1 :: int(found[2])])
