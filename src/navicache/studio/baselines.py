"""Outputs without the cache that a visitor has seen: another target then needs only the cached run."""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from weakref import ref

from navicache.generation.timed_calls import TimedOutput

MOST_BYTES = 2**28  # bytes of frames for one visitor
MOST_BYTES_OF_ALL = 2**31  # or many visitors, or one under many names, would fill the memory


@dataclass
class RecentTakes:
    """The newest outputs of all visitors; an older one leaves the stores too."""

    room: int = MOST_BYTES_OF_ALL
    _takes: list[TimedOutput] = field(default_factory=list[TimedOutput])

    def keep(self, take: TimedOutput) -> None:
        """Keep an output, the newest, whatever its size."""
        self._takes = [*(made for made in self._takes if made is not take), take]
        while len(self._takes) > 1 and sum(map(_count_bytes, self._takes)) > self.room:
            self._takes.pop(0)


@dataclass(frozen=True)
class BaselineStore:
    """Outputs without the cache by request, oldest first; immutable, so visitors share nothing.

    The outputs themselves are in `RecentTakes`.

    Example:
        >>> import numpy as np
        >>> from navicache.generation.media import Media
        >>> take = TimedOutput(Media(np.zeros((2, 8, 8, 3), np.float32), True), 1.0, None)
        >>> BaselineStore().add("a", take).find("a") is take, BaselineStore().find("a")
        (True, None)
    """

    takes: tuple[tuple[Hashable, "ref[TimedOutput]"], ...] = ()
    room: int = MOST_BYTES

    def find(self, key: Hashable) -> TimedOutput | None:
        """The output of this request, if it is still stored."""
        return next((made() for old, made in self.takes if old == key), None)

    def add(self, key: Hashable, take: TimedOutput) -> "BaselineStore":
        """The store with one more output; the oldest are dropped if there is too little room."""
        takes = [(old, made) for old, weak in self.takes if old != key and (made := weak()) is not None]
        room = self.room - _count_bytes(take)
        while takes and sum(_count_bytes(made) for _, made in takes) > room:
            takes.pop(0)
        return replace(self, takes=tuple((old, ref(made)) for old, made in [*takes, (key, take)]))


def _count_bytes(take: TimedOutput) -> int:
    return take.media.frames.nbytes
