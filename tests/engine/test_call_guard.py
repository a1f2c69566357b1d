"""Two threads meet in one engine at the worst moments."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from tests.robustness.stack import Broken, Stack, enabled

from navicache.engine import SharedModel, call_guard
from navicache.engine.call_guard import CallGuard


def test_who_meets_a_call_that_is_just_over_does_not_spoil_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    guard, asked = CallGuard(), []

    def ident() -> int:
        asked.append(1)
        if len(asked) == 2:
            guard.leave()  # the first thread goes while the second looks
        return 2

    guard.enter()
    monkeypatch.setattr(call_guard, "get_ident", ident)
    with pytest.raises(SharedModel):
        guard.enter()
    monkeypatch.undo()
    guard.enter()
    guard.leave()


def step(model: Stack) -> None:
    model(torch.ones(1, 5, 2), torch.tensor([500.0]), torch.ones(1, 3, 2))


@pytest.mark.parametrize(
    ("moment", "trouble", "end"), [("end_run", "raise", Broken), ("close_complete_run", "", SharedModel)]
)
@pytest.mark.parametrize("site", ["model", "blocks", "modules"])
def test_nobody_comes_in_before_a_call_has_put_all_away(
    site: str, moment: str, trouble: str, end: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, cache = enabled(site)
    (attachment,) = cache._attachments.values()
    engine, refused = attachment.engine, []
    put_away = getattr(engine, moment)

    def come_in() -> None:
        try:
            engine.call_guard.enter()
        except SharedModel as error:
            refused.append(error)

    def meet(*args: Any, **kwargs: Any) -> Any:
        other = threading.Thread(target=come_in)
        other.start()
        other.join()
        return put_away(*args, **kwargs)

    monkeypatch.setattr(engine, moment, meet)
    model.trouble = trouble
    with pytest.raises(end):
        step(model)
    assert len(refused) == 1
    monkeypatch.undo()
    model.trouble = ""
    step(model)
