"""Runs without the cache that a visitor has seen: another target costs one cached run, not two."""

from collections.abc import Hashable
from dataclasses import dataclass, replace

from navicache.generation.calls import Take

ROOM = 2**28  # bytes of frames for one visitor


@dataclass(frozen=True)
class Kept:
    """Takes by what they depend on, oldest first; never changed, so no visitor sees another's.

    Example:
        >>> import numpy as np
        >>> from navicache.generation.media import Media
        >>> take = Take(Media(np.zeros((2, 8, 8, 3), np.float32), True), 1.0, None)
        >>> Kept().having("a", take).find("a") is take, Kept().find("a")
        (True, None)
    """

    takes: tuple[tuple[Hashable, Take], ...] = ()
    room: int = ROOM

    def find(self, key: Hashable) -> Take | None:
        """The take of this key, if it is still there."""
        return dict(self.takes).get(key)

    def having(self, key: Hashable, take: Take) -> "Kept":
        """With one more; the oldest leave where the room is too small, the newest always stays."""
        takes = [(old, made) for old, made in self.takes if old != key]
        room = self.room - _size(take)
        while takes and sum(_size(made) for _, made in takes) > room:
            takes.pop(0)
        return replace(self, takes=(*takes, (key, take)))


def _size(take: Take) -> int:
    return take.media.frames.nbytes
