"""Show what the checks before a benchmark found, and list its jobs."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from navicache.evaluation.bench.jobs import JobGroup
from navicache.evaluation.bench.plan import BenchPlan

FAILED_CHECK = 2  # exit status


def refuse_problems(
    plan: BenchPlan, groups: Sequence[JobGroup], out: Path, options: argparse.Namespace, wrong: list[str]
) -> None:
    """Raise an error that lists all problems, before anything is loaded or written; print the notes."""
    found = run_preflight(plan, groups, out, options)
    if problems := [*wrong, *found.problems]:
        raise ValueError(join_problems(problems))
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)


def list_jobs(
    plan: BenchPlan, groups: Sequence[JobGroup], out: Path, options: argparse.Namespace, wrong: list[str]
) -> int:
    """Print the jobs, notes and problems without running anything; returns 2 if there is a problem."""
    found = run_preflight(plan, groups, out, options)
    problems = [*wrong, *found.problems]
    if not wrong:  # without its prompts nobody can tell the jobs
        print("\n".join(format_job_lines(groups, found.hours)))
        print(f"note: about {found.size} will be written to {out}", file=sys.stderr)
    for line in (*(f"note: {note}" for note in found.notes), *(f"wrong: {problem}" for problem in problems)):
        print(line, file=sys.stderr)
    return FAILED_CHECK if problems else 0


def run_preflight(plan: BenchPlan, groups: Sequence[JobGroup], out: Path, options: argparse.Namespace) -> Any:
    """Run all checks; models of a running cluster are on other machines and are not checked."""
    from navicache.cli.bench.preflight import preflight

    return preflight(plan, groups, out, options.ray_address is None, options.seconds_per_step)


def join_problems(problems: Sequence[str]) -> str:
    """All problems as one message.

    Example:
        >>> print(join_problems(["no folder a", "no file b"]))
        2 things are wrong, and nothing was run:
          no folder a
          no file b
    """
    if len(problems) == 1:
        return problems[0]
    return "\n  ".join([f"{len(problems)} things are wrong, and nothing was run:", *problems])


def format_job_lines(groups: Sequence[JobGroup], hours: Sequence[str]) -> Iterator[str]:
    """A line for every call, then the GPU hours, and the number of jobs and calls."""
    for first, *others in (batch for group in groups for batch in group):
        more = f" and {len(others)} more" if others else ""
        yield f"{first.kind:8} {first.place}  {first.prompt}{more}"
    yield from hours
    calls = sum(map(len, groups))
    yield f"{sum(len(batch) for group in groups for batch in group)} jobs in {calls} calls"
