"""An output that is built differently in mid-run: one clear error, and the model as it was."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.integrations.test_several_outputs_everywhere import EVERY, POLICIES, STEPS, Joint, generate
from torch import Tensor

import navicache
from navicache.engine import CannotCache

CHANGES = {
    "an entry less": lambda out: {"video": out["video"]},
    "an entry more": lambda out: {**out, "mask": out["sound"]},
    "another name": lambda out: {"video": out["video"], "noise": out["sound"]},
    "no tensor": lambda out: {"video": out["video"], "sound": None},
    "a list": lambda out: {"video": out["video"], "sound": [out["sound"]]},
    "the tensor alone": lambda out: out["video"],
    "a tuple": lambda out: (out["video"], out["sound"]),
}


@EVERY
@pytest.mark.parametrize("change", CHANGES)
def test_an_output_that_is_built_differently_in_mid_run(name: str, change: str) -> None:
    """One clear error; the model is as before, and can be cached again."""

    class Changing(Joint):
        after = 9

        def forward(self, hidden_states: Tensor, audio_hidden_states: Tensor, timestep: Tensor) -> Any:
            output = super().forward(hidden_states, audio_hidden_states, timestep)
            return output if timestep[0] > STEPS - self.after else CHANGES[change](output)

    model = Changing()
    before, plain = {**vars(model)}, super(Changing, model).forward
    cache = navicache.enable(model, **POLICIES[name], steps=STEPS)
    with pytest.raises(CannotCache, match=r"returned .* after dict\(video: tensor, sound: tensor\) in the same run"):
        generate(model)
    assert vars(model) == before
    given = torch.ones(1, 3, 6), torch.ones(1, 5, 4), torch.full((1,), float(STEPS))
    assert torch.equal(model(*given)["sound"], plain(*given)["sound"])
    assert cache.trace.runs[0].length >= 9
    model.after = STEPS + 1
    with navicache.enable(model, **POLICIES[name], steps=STEPS) as again:
        generate(model)
        assert again.trace.runs[0].length == STEPS
