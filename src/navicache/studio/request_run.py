"""Run one visitor's request: without the cache, if that is not stored, then with it."""

from collections.abc import Mapping
from typing import Any

from navicache.evaluation import compare
from navicache.generation.job import GenerationJob
from navicache.generation.progress import StepCounts
from navicache.generation.results import PromptResult
from navicache.generation.session import check_before_loading, check_loaded_pipeline
from navicache.generation.sound import pair_sounds
from navicache.generation.timed_calls import WARM_UP_STEPS, PromptRuns, TimedOutput, call_timed
from navicache.studio.loaded_pipeline import LoadedPipeline
from navicache.studio.monitor import CACHED, PLAIN, RunMonitor


def run_request(
    job: GenerationJob, pipeline: LoadedPipeline, plain: TimedOutput | None, monitor: RunMonitor
) -> PromptResult:
    """Check the request, generate, and compare both outputs."""
    monitor.raise_if_stopped()
    fresh = not pipeline.holds(job.source)
    monitor.begin(f"loading {job.source.model}" if fresh else "")
    check_before_loading(job)
    pipe = pipeline.load(job.source)
    check_loaded_pipeline(pipe, job)
    monitor.start_clock()
    job.caching.enable(pipe).disable()  # what only this model can refuse
    monitor.raise_if_stopped()
    if fresh or plain is None:  # or the first call of this size pays for first times
        _call_monitored(pipe, job, "warming up", monitor, changed={"num_inference_steps": WARM_UP_STEPS})
    plain = plain or _call_monitored(pipe, job, PLAIN, monitor)
    monitor.update(plain=plain)
    with job.caching.enable(pipe) as cache:
        cached = _call_monitored(pipe, job, CACHED, monitor, lambda: cache.progress)
        trace, summary = cache.trace, cache.summary(details=False)
    monitor.update(doing="measuring")
    pair = PromptRuns(cached, trace, summary, plain)
    quality = compare(plain.media.clip, cached.media.clip, sounds=pair_sounds(plain.media.sound, cached.media.sound))
    return PromptResult(job.prompts[0], pair, {}, quality)


def _call_monitored(
    pipe: Any,
    job: GenerationJob,
    doing: str,
    monitor: RunMonitor,
    counts: StepCounts | None = None,
    changed: Mapping[str, Any] | None = None,
) -> TimedOutput:
    monitor.begin(doing)
    arguments = {**monitor.callback_arguments(pipe, counts), **(changed or {})}
    with monitor.watch(pipe):
        take = call_timed(pipe, job, job.prompts[0], doing, arguments, counts, shown=False)
    return monitor.subtract_previews(take)
