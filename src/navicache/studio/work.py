"""One visitor's run, from check to figures: without the cache where that is not kept, then with it."""

from collections.abc import Mapping
from typing import Any

from navicache.evaluation import compare
from navicache.generation.calls import WARM_UP_STEPS, Pair, Take, take
from navicache.generation.job import Job
from navicache.generation.progress import Counts
from navicache.generation.results import Result
from navicache.generation.session import check, check_early
from navicache.studio.shelf import Shelf
from navicache.studio.watch import Watch


def carry_out(job: Job, shelf: Shelf, plain: Take | None, watch: Watch) -> Result:
    """Both takes and how near they are; what can be refused is refused before the first step."""
    watch.check()
    fresh = not shelf.holds(job.source)
    watch.begin(f"loading {job.source.model}" if fresh else "")
    check_early(job)
    pipe = shelf.take(job.source)
    check(pipe, job)
    job.caching.enable(pipe).disable()  # what only this model can refuse
    watch.check()
    if fresh or plain is None:  # or the first call of this size pays for first times
        _watched(pipe, job, "warming up", watch, changed={"num_inference_steps": WARM_UP_STEPS})
    plain = plain or _watched(pipe, job, "no cache", watch)
    watch.say(plain=plain)
    with job.caching.enable(pipe) as cache:
        cached = _watched(pipe, job, "with the cache", watch, lambda: cache.progress)
        trace, summary = cache.trace, cache.summary(details=False)
    watch.say(doing="measuring")
    pair = Pair(cached, trace, summary, plain)
    return Result(job.prompts[0], pair, {}, compare(plain.media.clip, cached.media.clip))


def _watched(
    pipe: Any,
    job: Job,
    doing: str,
    watch: Watch,
    counts: Counts | None = None,
    changed: Mapping[str, Any] | None = None,
) -> Take:
    watch.begin(doing)
    arguments = {**watch.arguments(pipe, counts), **(changed or {})}
    return watch.without_pictures(take(pipe, job, job.prompts[0], doing, arguments, counts, shown=False))
