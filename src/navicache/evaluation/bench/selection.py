"""A part of a plan: for several processes on one card, each with a folder of its own."""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from navicache.evaluation.bench.jobs import BenchJob, JobGroup, iterate_jobs
from navicache.evaluation.bench.names import slug

NAMES_OF_JOB: dict[str, Callable[[BenchJob], tuple[str, ...]]] = {
    "models": lambda job: (job.model.name,),
    "conditions": lambda job: (job.condition.name,),
    "settings": lambda job: (job.setting.name, job.setting.series),
}


def select_jobs(groups: Sequence[JobGroup], wanted: Sequence[str]) -> list[JobGroup]:
    """What is wanted alone, each as "models=pocket" or "conditions=DDIM*,Euler"; baselines stay where any job does.

    A setting goes by its own name or by that of its series. Names may be written as their folders are, and capitals do
    not count. Where no name is exactly that, those fit that begin with these words.
    """
    found = list(groups)
    for choice in wanted:
        found = _select_named(found, *parse_selection(choice))
    return found


def parse_selection(choice: str) -> tuple[str, list[str]]:
    """The kind of a choice, and its patterns.

    Example:
        >>> parse_selection("conditions=DDIM*,Euler")
        ('conditions', ['DDIM*', 'Euler'])
    """
    kind, _, names = choice.partition("=")
    if kind not in NAMES_OF_JOB or not names:
        raise ValueError(f"--only takes {', '.join(f'{kind}=NAME' for kind in NAMES_OF_JOB)}, got {choice!r}")
    return kind, names.split(",")


def _select_named(groups: Sequence[JobGroup], kind: str, patterns: Sequence[str]) -> list[JobGroup]:
    known = list(dict.fromkeys(NAMES_OF_JOB[kind](job) for job in iterate_jobs(groups)))
    fitting = {names for pattern in patterns for names in matching_names(known, kind, pattern)}

    def stays(job: BenchJob) -> bool:
        return NAMES_OF_JOB[kind](job) in fitting or (kind == "settings" and job.kind == "baseline")

    kept = (tuple(batch for batch in group if stays(batch[0])) for group in groups)
    return [group for group in kept if any(batch[0].kind != "baseline" for batch in group)]


def matching_names(known: Sequence[tuple[str, ...]], kind: str, pattern: str) -> list[tuple[str, ...]]:
    """Those called so, each a name and its others; where none is, those that begin so.

    Example:
        >>> matching_names([("inertial 2x", "inertial"), ("EasyCache", "")], "settings", "easy*")
        [('EasyCache', '')]
    """
    for fits in (is_called, starts_with_words):
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


def starts_with_words(name: str, pattern: str) -> bool:
    """Whether it begins with these words.

    Example:
        >>> starts_with_words("Wan 2.1-1.3B", "wan"), starts_with_words("Wanderer", "wan")
        (True, False)
    """
    return f"{slug(name)}-".startswith(f"{slug(pattern)}-")


def select_part(groups: Sequence[JobGroup], part: str) -> list[JobGroup]:
    """Every n-th group: "2/5" is the second of five parts.

    Example:
        >>> select_part([((),), ((), ()), ()], "2/3")
        [((), ())]
    """
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", part)
    if not found or int(found[1]) > int(found[2]):
        raise ValueError(f"--part takes a number and how many there are, as 2/5, got {part!r}")
    return list(groups[int(found[1]) - 1 :: int(found[2])])
