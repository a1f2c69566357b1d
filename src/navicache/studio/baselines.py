"""Outputs without the cache that a visitor has seen: another target then needs only the cached run."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

from navicache.generation.timed_calls import TimedOutput

MOST_BYTES = 2**28  # bytes of frames for one visitor


@dataclass(frozen=True)
class BaselineStore:
    """Outputs without the cache by request, oldest first; immutable, so visitors share nothing.

    Example:
        >>> import numpy as np
        >>> from navicache.generation.media import Media
        >>> take = TimedOutput(Media(np.zeros((2, 8, 8, 3), np.float32), True), 1.0, None)
        >>> BaselineStore().add("a", take).find("a") is take, BaselineStore().find("a")
        (True, None)
    """

    takes: tuple[tuple[Hashable, TimedOutput], ...] = ()
    room: int = MOST_BYTES

    def find(self, key: Hashable) -> TimedOutput | None:
        """The output of this request, if it is still stored."""
        return dict(self.takes).get(key)

    def add(self, key: Hashable, take: TimedOutput) -> "BaselineStore":
        """The store with one more output; the oldest are dropped if there is too little room."""
        takes = [(old, made) for old, made in self.takes if old != key]
        room = self.room - _count_bytes(take)
        while takes and sum(_count_bytes(made) for _, made in takes) > room:
            takes.pop(0)
        return replace(self, takes=(*takes, (key, take)))


def _count_bytes(take: TimedOutput) -> int:
    return take.media.frames.nbytes
