"""The facts of one finished job that go into its row."""

from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.rows import Row
from navicache.records import Trace

PARTIAL_REASON = "reuses "  # start of a step's reason in the trace if a part of it was reused


def describe_job(job: BenchJob) -> Row:
    """What the job asked for."""
    setting = job.setting
    return {
        "key": job.key,
        "group": job.group,
        "kind": job.kind,
        "model": job.model.name,
        "published": job.model.published,
        "condition": job.condition.name,
        "setting": setting.name,
        "series": setting.series,
        "swept": dict(setting.swept),
        "policy": setting.policy,
        "mode": setting.mode,
        "prompt": job.prompt,
        "prompt_index": job.prompt_index,
        "seed": job.seed,
        "arguments": job.arguments,
        "shift": job.model.shift,
    }


def describe_steps(trace: Trace, job: BenchJob) -> Row:
    """Computed steps and the policy's actual knobs; without a cache every step is computed.

    Where a policy reuses single modules (PAB, TaylorSeer), every step is computed, and `partial` counts those of which
    a part was reused.
    """
    total = sum(run.length for run in trace.runs) or job.arguments.get("num_inference_steps")
    computed = sum(run.computed for run in trace.runs) or total
    steps = [step for run in trace.runs for step in run.leading]
    partial = sum(step.computed and step.reason.startswith(PARTIAL_REASON) for step in steps)
    knobs = dict(trace.runs[0].settings) if trace.runs else {}
    return {"steps": {"total": total, "computed": computed, "partial": partial}, "knobs": knobs}
