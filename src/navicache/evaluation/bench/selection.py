"""Select a part of a plan's jobs, for several processes."""

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
    """Keep only jobs that match, such as "models=pocket" or "conditions=DDIM*,Euler", and their baselines.

    A setting goes by its own name or by that of its series. Names may be written as their folders are, and capitals do
    not count. Where no name is exactly that, those fit that begin with these words.
    """
    found = list(groups)
    for choice in wanted:
        found = _select_named(found, *parse_selection(choice))
    return found


def parse_selection(choice: str) -> tuple[str, list[str]]:
    """The kind and the patterns of a selection.

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
    """The names that match a pattern; if none does, those that start with its words.

    Example:
        >>> matching_names([("inertial 2x", "inertial"), ("EasyCache", "")], "settings", "easy*")
        [('EasyCache', '')]
    """
    for fits in (is_called, starts_with_words):
        if found := [names for names in known if any(fits(name, pattern) for name in names if name)]:
            return found
    raise ValueError(f"--only {kind}={pattern} fits none of: {', '.join(names[0] for names in known)}")


def is_called(name: str, pattern: str) -> bool:
    """Whether a pattern matches a name or the name of its folder.

    Example:
        >>> is_called("Wan 2.1-1.3B", "wan*"), is_called("EasyCache, slow", "easycache-slow"), is_called("N", "M")
        (True, True, False)
    """
    return fnmatchcase(name.lower(), pattern.lower()) or slug(name) == pattern.lower()


def starts_with_words(name: str, pattern: str) -> bool:
    """Whether a name starts with these words.

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
