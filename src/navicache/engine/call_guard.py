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
    """Remembers the call inside the engine; calls one after the other may come from any thread. It refuses copies."""

    def __init__(self) -> None:
        """Nobody is inside."""
        # Threads of the call inside: its own, then those that came in. What comes in late marks a call that is over,
        # not the next one. setdefault is atomic; and unlike a lock it survives an interrupt.
        self._inside: dict[str, list[int]] = {}

    def enter(self) -> None:
        """Raise `SharedModel` if another thread is inside; that thread's call will raise as well."""
        threads = self._inside.setdefault("call", [get_ident()])
        if threads[0] != get_ident():
            threads.append(get_ident())
            raise SharedModel(SHARED_MESSAGE)

    def raise_if_disturbed(self) -> None:
        """Raise `SharedModel` if another thread came in during this call: what is kept may be of both."""
        if len(self._inside.get("call", ())) > 1:
            raise SharedModel(SHARED_MESSAGE)

    def leave(self) -> None:
        """End a call, when all that it changes is put away."""
        self._inside.clear()

    def disturb_other_thread(self) -> bool:
        """Whether another thread is inside; its call will raise."""
        threads = self._inside.get("call", [get_ident()])
        if threads[0] == get_ident():
            return False
        threads.append(get_ident())
        return True

    def __getstate__(self) -> NoReturn:
        """Refuse copies: whoever copies a cached model copies its engine, and so comes here."""
        raise TypeError(COPY_MESSAGE)
