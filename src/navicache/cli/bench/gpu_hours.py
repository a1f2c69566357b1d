"""Tell the GPU hours of jobs before they run: as many as computing every step takes, fewer where that is known."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from navicache.cli.bench.disk_space import USUAL_STEPS
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.plan import NO_CACHE, STEPS, PlanSetting, StepTiming
from navicache.policies import Policy
from navicache.policies.budget import OUTCOME_ONLY
from navicache.policies.cache_sites import Modules
from navicache.policies.protocols import Outcome, Step
from navicache.records.text_table import TextColumn, format_number_cells, format_table_lines

OPTION = "--seconds-per-step"
Policies = Mapping[tuple[str, PlanSetting], Policy]  # by model and setting, where a model could be looked at


class HoursLine(NamedTuple):
    """What the jobs of one setting have in common."""

    model: str
    setting: str
    steps: str
    source: str


def format_hours(jobs: Sequence[BenchJob], policies: Policies, seconds: float | None, beside: bool) -> list[str]:
    """A line for every setting and its source, then the sum; `beside` has a plain run before every cached one."""
    if seconds and len({(job.model.name, str(job.condition.call)) for job in jobs}) > 1:
        raise ValueError(
            f"{OPTION} is the step of one model at one size: choose them with --only models= and conditions="
        )
    found: dict[HoursLine, list[float]] = {}
    untimed: dict[str, int] = {}
    for job in jobs:
        timing, (steps, is_known) = _find_timing(job, seconds), _count_steps(job, policies)
        if timing is None:
            untimed[job.model.name] = untimed.get(job.model.name, 0) + 1
            continue
        line = HoursLine(job.model.name, _name(job), f"{steps}{'' if is_known else ' at most'}", timing.source)
        plain = _total_steps({**job.model.call, **job.condition.call}) if beside and job.kind == "cached" else 0
        found.setdefault(line, []).append(sum(count * timing.step + timing.rest for count in (steps, plain) if count))
    return [*_format_table(found), *(_explain_untimed(*each) for each in untimed.items())]


def _find_timing(job: BenchJob, seconds: float | None) -> StepTiming | None:
    """The timing of a job; the plan's holds for the arguments of its model's call alone, but for the steps."""
    if seconds:
        return StepTiming(seconds, source=OPTION)
    changed = {name for name, value in job.arguments.items() if job.model.call.get(name) != value} - {STEPS}
    return None if changed else job.model.timing


def _name(job: BenchJob) -> str:
    return f"{job.setting.name}, shadow" if job.kind == "shadow" else job.setting.name


def _total_steps(call: Mapping[str, int]) -> int:
    return call.get(STEPS, USUAL_STEPS)


def _count_steps(job: BenchJob, policies: Policies) -> tuple[int, bool]:
    """The computed steps of a job, and whether they are known; else they are all its steps."""
    total = _total_steps(job.arguments)
    if job.kind != "cached" or job.setting.policy == NO_CACHE:
        return total, True
    policy = policies.get((job.model.name, job.setting))
    count = None if policy is None else count_computed_steps(policy, total)
    return (total, False) if count is None else (count, True)


def count_computed_steps(policy: Policy, total: int) -> int | None:
    """How many steps of a run a policy computes; None if measurements decide, or steps are computed in part.

    Example:
        >>> from navicache.policies import build_policy
        >>> count_computed_steps(build_policy("inertial", speedup=2.5), 50)
        20
        >>> count_computed_steps(build_policy("navicache"), 50)
    """
    gate, *others = [scheme.gate for scheme in policy.schemes() if not isinstance(scheme.site, Modules)] or [None]
    if gate is None or others or not gate.reads <= OUTCOME_ONLY:
        return None
    state, count = gate.init(), 0
    for index in range(total):
        decision, state = gate.decide(state, Step(index=index, local_index=index, total=total))
        if decision.compute:
            count, state = count + 1, gate.learn(state, Outcome(index=index, local_index=index, total=total))
    return count


def _format_table(found: Mapping[HoursLine, Sequence[float]]) -> Iterable[str]:
    if not found:
        return
    hours = [sum(seconds) / 3600 for seconds in found.values()]
    models, settings, steps, sources = zip(*found, strict=True)
    yield from format_table_lines([
        TextColumn("model", models, True),
        TextColumn("setting", settings, True),
        TextColumn("videos", [str(len(seconds)) for seconds in found.values()]),
        TextColumn("computed\nsteps", steps, True),
        TextColumn("GPU\nhours", format_number_cells(hours)),
        TextColumn("seconds of a step from", sources, True),
    ])  # fmt: skip
    yield f"about {sum(hours):.3g} GPU hours at most, without loading, calibrating and scoring"


def _explain_untimed(model: str, videos: int) -> str:
    return f"GPU hours of {videos} videos of {model!r} are unknown: give {OPTION}, or `timing` of the model in the plan"
