"""Tell the GPU hours of jobs before they run: as many as computing every step takes, fewer where that is known."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from navicache.cli.bench.disk_space import USUAL_STEPS
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.plan import NO_CACHE, STEPS, PlanSetting
from navicache.policies import Policy, build_policy
from navicache.policies.budget import OUTCOME_ONLY
from navicache.policies.cache_sites import Modules
from navicache.policies.protocols import Outcome, Step
from navicache.records.text_table import TextColumn, format_number_cells, format_table_lines

HEADINGS = ("model", "setting", "computed steps", "seconds of a step from", "videos", "GPU hours")
Policies = Mapping[tuple[str, PlanSetting], Policy]  # by model and setting, of models that could be looked at
UNTIMED = "GPU hours of {} videos of {!r} are unknown: give --seconds-per-step, or `timing` of the model in the plan"


def format_hours(jobs: Sequence[BenchJob], policies: Policies, seconds: float | None, beside: bool) -> tuple[str, ...]:
    """A line for every setting, then the sum; `beside` has a plain run before every cached one."""
    if seconds and len({(job.model.name, str(job.condition.call)) for job in jobs}) > 1:
        raise ValueError("--seconds-per-step is of one model at one size: choose by --only models=, conditions=")
    found: dict[tuple[str, ...], list[float]] = {}
    timings = [(job, _find_timing(job, seconds)) for job in jobs]
    for job, timing in ((job, timing) for job, timing in timings if timing):
        steps, is_known = _count_steps(job, policies)
        plain = {**job.model.call, **job.condition.call}.get(STEPS, USUAL_STEPS)
        runs = [steps, plain] if beside and job.kind == "cached" else [steps]
        name = f"{job.setting.name}, shadow" if job.kind == "shadow" else job.setting.name
        line = job.model.name, name, f"{steps}{'' if is_known else ' at most'}", timing.get("source", "the plan")
        found.setdefault(line, []).append(sum(count * timing["step"] + timing.get("rest", 0) for count in runs))
    untimed = Counter(job.model.name for job, timing in timings if not timing)
    return *_format_table(found), *(UNTIMED.format(count, name) for name, count in untimed.items())


def _find_timing(job: BenchJob, seconds: float | None) -> Mapping[str, Any]:
    """The timing of a job; the plan's holds for the arguments of its model's call alone, but for the steps."""
    changed = {name for name, value in job.arguments.items() if job.model.call.get(name) != value}
    timing = {} if changed - {STEPS} else job.model.timing
    return {"step": seconds, "source": "--seconds-per-step"} if seconds else timing


def _count_steps(job: BenchJob, policies: Policies) -> tuple[int, bool]:
    """The computed steps of a job, and whether they are known; else they are all its steps."""
    total, setting = job.arguments.get(STEPS, USUAL_STEPS), job.setting
    if job.kind != "cached" or setting.policy == NO_CACHE:
        return total, True
    policy = policies.get((job.model.name, setting))
    if policy is None and setting.policy in ("inertial", "schedule") and setting.knobs.keys() & {"speedup", "at"}:
        policy = build_policy(setting.policy, **setting.knobs)
    count = None if policy is None else count_computed_steps(policy, total)
    return count or total, count is not None


def count_computed_steps(policy: Policy, total: int) -> int | None:
    """How many steps of a run a policy computes; None if measurements decide, or steps are computed in part.

    Example:
        >>> from navicache.policies import build_policy
        >>> count_computed_steps(build_policy("inertial", speedup=2.5), 50)
        20
    """
    scheme, *others = policy.schemes()
    if others or isinstance(scheme.site, Modules) or not scheme.gate.reads <= OUTCOME_ONLY:
        return None
    state, count = scheme.gate.init(), 0
    for index in range(total):
        decision, state = scheme.gate.decide(state, Step(index=index, local_index=index, total=total))
        if decision.compute:
            count, state = count + 1, scheme.gate.learn(state, Outcome(index=index, local_index=index, total=total))
    return count


def _format_table(found: Mapping[tuple[str, ...], Sequence[float]]) -> Iterator[str]:
    if found:
        hours = [sum(seconds) / 3600 for seconds in found.values()]
        columns = [*zip(*found, strict=True), [str(len(each)) for each in found.values()], format_number_cells(hours)]
        yield from format_table_lines([TextColumn(*each, True) for each in zip(HEADINGS, columns, strict=True)])
        yield f"about {sum(hours):.3g} GPU hours at most, without loading, calibrating and scoring"
