"""An engine that decides nothing: it says what it was asked, and computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from navicache.engine import CannotCache
from navicache.engine.call_guard import CallGuard


class StubEngine:
    """What an attachment asks of an engine; an error to raise stands for a model that cannot be cached."""

    def __init__(self, error: str = "") -> None:
        self.error, self.told, self.call_guard = error, [], CallGuard()

    def attach(self) -> None:
        self.told.append("attach")

    def detach(self) -> None:
        self.told.append("detach")

    def end_run(self, reason: str = "", is_complete: bool = True) -> None:
        self.told.append((reason, is_complete))

    def __call__(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.told.append("call")
        if self.error:
            raise CannotCache(self.error)
        return forward(*args, **kwargs)
