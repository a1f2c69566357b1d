"""The handle `enable` gives back."""

from types import TracebackType
from typing import Any

from navicache.integrations.attachments import Attachment, CallableAttachment
from navicache.records import Trace, summarise


class Cache:
    """A cache that is on: look at it, reset it, take it off.

    Use it as a context manager to take the cache off at the end, also after an error. Where a plain function was
    enabled, call the handle in place of the function.
    """

    def __init__(self, attachments: dict[str, Attachment], notes: tuple[str, ...] = ()) -> None:
        """Hold what `enable` attached, by component name."""
        self._attachments, self.notes = attachments, notes

    @property
    def trace(self) -> Trace:
        """What happened, run by run and step by step, in all transformers of the pipeline."""
        return Trace(tuple(run for part in self._attachments.values() for run in part.engine.trace.runs))

    @property
    def progress(self) -> tuple[int, int]:
        """Steps computed and reused so far in the run at hand; cheap, and without a device sync, unlike `trace`."""
        counts = [part.engine.recorder.progress() for part in self._attachments.values()]
        return sum(computed for computed, _ in counts), sum(reused for _, reused in counts)

    def summary(self, details: bool = True) -> str:
        """The newest run of every transformer as text."""
        parts = [summarise(part.engine.trace, details=details) for part in self._attachments.values()]
        return "\n".join([*parts, *(f"note: {note}" for note in self.notes)])

    def reset(self) -> None:
        """Forget the run in progress; pipelines that finish do this by themselves."""
        for part in self._attachments.values():
            part.engine.end_run("reset")

    def disable(self) -> None:
        """Leave the model bit for bit as it was; the trace stays readable."""
        for part in self._attachments.values():
            part.detach()

    def __enter__(self) -> "Cache":
        """Use as a context manager."""
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Take the cache off, whatever happened."""
        self.disable()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The cached function, where a plain function was enabled."""
        (part,) = self._attachments.values()
        if not isinstance(part, CallableAttachment):
            raise TypeError("this cache sits inside a model: call the model or its pipeline, not the handle")
        return part(*args, **kwargs)

    def __repr__(self) -> str:
        """The headline of the summary."""
        return f"<Cache {self.summary(details=False).splitlines()[0]}>"
