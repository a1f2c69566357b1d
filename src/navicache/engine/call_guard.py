"""One call of one model at a time: two threads in one engine, or a copied model in it, would mix their runs."""

from threading import get_ident
from typing import NoReturn

from navicache.engine.errors import SharedModel

SHARED_MESSAGE = (
    "another thread is using this cached model, whose cache follows one generation at a time: give each thread a model "
    "of its own (from_pipe shares it), or put a lock around the pipeline's calls"
)
COPY_MESSAGE = (
    "this model is cached, and a copy would run in the original's cache: call disable() first, copy the model, and "
    "enable a cache on each"
)


class CallGuard:
    """Remembers the thread inside the engine; calls one after the other may come from any thread. It refuses copies."""

    def __init__(self) -> None:
        """Nobody is inside."""
        self._thread_inside: dict[str, int] = {}  # setdefault is atomic; and unlike a lock it survives an interrupt
        self._is_disturbed = False

    def enter(self) -> None:
        """Raise `SharedModel` if another thread is inside; that thread's call will raise as well."""
        if self._thread_inside.setdefault("thread", get_ident()) != get_ident():
            self._is_disturbed = True
            raise SharedModel(SHARED_MESSAGE)

    def leave(self) -> None:
        """End a call; raises `SharedModel` if another thread came in during it: what is kept may be of both."""
        if self._is_disturbed:
            raise SharedModel(SHARED_MESSAGE)
        self._thread_inside.clear()

    def clear(self) -> None:
        """End a call that failed."""
        self._is_disturbed = False
        self._thread_inside.clear()

    def disturb_other_thread(self) -> bool:
        """Whether another thread is inside; its call will raise."""
        is_inside = self._thread_inside.get("thread", get_ident()) != get_ident()
        self._is_disturbed = self._is_disturbed or is_inside
        return is_inside

    def __getstate__(self) -> NoReturn:
        """Refuse copies: whoever copies a cached model copies its engine, and so comes here."""
        raise TypeError(COPY_MESSAGE)
