"""The handle that `enable` returns."""

from types import TracebackType
from typing import Any

from navicache.integrations.attachments import Attachment, CallableAttachment
from navicache.records import Trace, summarise


class Cache:
    """The handle of an enabled cache: read its trace, reset it, disable it.

    Use it as a context manager to disable the cache at the end, also after an error. For a function, call the handle
    instead.
    """

    def __init__(self, attachments: dict[str, Attachment], notes: tuple[str, ...] = ()) -> None:
        """Keep the attachments, by component name."""
        self._attachments, self.notes = attachments, notes

    @property
    def trace(self) -> Trace:
        """The record of all runs and steps, of all transformers of the pipeline."""
        return Trace(tuple(run for part in self._attachments.values() for run in part.engine.trace.runs))

    @property
    def progress(self) -> tuple[int, int]:
        """Steps computed and reused so far in the current run; cheap and without a device sync, unlike `trace`."""
        counts = [part.engine.recorder.count_steps() for part in self._attachments.values()]
        return sum(computed for computed, _ in counts), sum(reused for _, reused in counts)

    def summary(self, details: bool = True) -> str:
        """The newest run of every transformer as text."""
        parts = [summarise(part.engine.trace, details=details) for part in self._attachments.values()]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])

    def reset(self) -> None:
        """End the run in progress. Pipelines do this when they finish."""
        for part in self._attachments.values():
            part.engine.end_run("reset")

    def disable(self) -> None:
        """Restore the model bit for bit; the trace stays readable."""
        for part in self._attachments.values():
            part.detach()

    def __enter__(self) -> "Cache":
        """Use as a context manager."""
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Disable the cache, also after an error."""
        self.disable()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the cached function; only for the cache of a function."""
        (part,) = self._attachments.values()
        if not isinstance(part, CallableAttachment):
            raise TypeError("this cache sits inside a model: call the model or its pipeline, not the handle")
        return part(*args, **kwargs)

    def __repr__(self) -> str:
        """The headline of the summary."""
        return f"<Cache {self.summary(details=False).splitlines()[0]}>"
