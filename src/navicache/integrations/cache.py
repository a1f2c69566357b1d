"""The handle that `enable` returns."""

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from navicache.integrations.attachments import Attachment, CallableAttachment
from navicache.records import Trace, summarise

EXCHANGED_NOTE = (
    "the pipeline has another {name} since enable, and that one is not cached: call disable() on this handle, then "
    "enable(pipe)"
)


class Cache:
    """The handle of an enabled cache: read its trace, reset it, disable it.

    Use it as a context manager to disable the cache at the end, also after an error. For a function, call the handle
    instead.
    """

    def __init__(
        self,
        attachments: dict[str, Attachment],
        notes: tuple[str, ...] = (),
        find_exchanged: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Keep the attachments, by component name; `find_exchanged` names those that the pipeline no longer has."""
        self._attachments, self._notes, self._find_exchanged = attachments, notes, find_exchanged
        self._is_function = any(isinstance(part, CallableAttachment) for part in attachments.values())
        self._last_traces: list[Trace] = []  # of the attachments that are let go of

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about this cache: its settings, and models that the pipeline has in place of the cached ones."""
        return (*self._notes, *(EXCHANGED_NOTE.format(name=name) for name in self._find_exchanged()))

    @property
    def trace(self) -> Trace:
        """The record of all runs and steps, of all transformers of the pipeline."""
        return Trace(tuple(run for trace in self._list_traces() for run in trace.runs))

    def _list_traces(self) -> list[Trace]:
        return [part.engine.trace for part in self._attachments.values()] or self._last_traces

    @property
    def progress(self) -> tuple[int, int]:
        """Steps computed and reused so far in the current run; cheap and without a device sync, unlike `trace`."""
        counts = [part.engine.recorder.count_steps() for part in self._attachments.values()]
        return sum(computed for computed, _ in counts), sum(reused for _, reused in counts)

    def summary(self, details: bool = True) -> str:
        """The newest run of every transformer as text."""
        parts = [summarise(trace, details=details) for trace in self._list_traces()]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])

    def reset(self) -> None:
        """End the run in progress. Pipelines do this when they finish."""
        for part in self._attachments.values():
            if not part.engine.call_guard.disturb_other_thread():
                part.engine.end_run("reset")

    def disable(self) -> None:
        """Restore the model bit for bit and let go of it; the trace stays readable, a function callable."""
        for part in self._attachments.values():
            part.detach()
        self._notes, self._find_exchanged = self.notes, tuple
        if not self._is_function:
            self._last_traces, self._attachments = self._list_traces(), {}

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
        for part in self._attachments.values():
            if isinstance(part, CallableAttachment):
                return part(*args, **kwargs)
        raise TypeError("this cache sits inside a model: call the model or its pipeline, not the handle")

    def __repr__(self) -> str:
        """The headline of the summary."""
        return f"<Cache {self.summary(details=False).splitlines()[0]}>"
