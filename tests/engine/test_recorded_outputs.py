"""The recorded runs again, with models that return more: decisions and transfers are as without the rest."""

import json
from typing import Any

import pytest
import torch
from tests.engine import recorded
from tests.engine.recorded import FILE, decisions
from tests.engine.toys.drawn import Toy

PLAYS = json.loads(FILE.read_text())


class JointToy(Toy):
    """The same with sound row by row, a mask, and a mean of the whole call."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.wraps = not self.listed

    def __call__(self, x: Any, t: torch.Tensor, text: Any) -> Any:
        output = super().__call__(x, t, text)
        if self.listed:
            return output
        sound = torch.cos(x[:, :2, 0] + 0.002 * t.reshape(-1, 1, 1)) + text.reshape(-1, 1, 1)
        return output[0], sound, {"more": [sound > 0, sound.mean()]}


@pytest.mark.parametrize(
    "plays",
    [PLAYS[::15], pytest.param([play for i, play in enumerate(PLAYS) if i % 15], marks=pytest.mark.slow)],
    ids=["some", "all others"],
)
def test_decisions_do_not_depend_on_what_else_is_returned(plays, monkeypatch):
    monkeypatch.setattr(recorded, "Toy", JointToy)
    for play in plays:
        if recorded.Play(play["seed"]).engine.scheme.bounds_outputs:
            continue  # every output decides: test_bounded_outputs.py
        assert decisions(play["seed"]) == play, f"seed {play['seed']}"
