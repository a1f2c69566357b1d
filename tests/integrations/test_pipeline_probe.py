"""A probe sees all, and changes nothing."""

import itertools

import pytest
import torch
from tests.tiny.wan import WAN

from navicache.integrations.pipeline_probe import probe_pipeline

STEPS = 12


def test_a_probe_sees_every_call_and_changes_nothing():
    pipe = WAN.build()
    full = WAN.call(pipe, steps=STEPS)
    with probe_pipeline(pipe) as probe:
        assert torch.equal(WAN.call(pipe, steps=STEPS), full)
    assert torch.equal(WAN.call(pipe, steps=STEPS), full)
    assert [(sight.index, sight.stream_index) for sight in probe.measurements] == [
        (i, b) for i in range(STEPS) for b in (0, 1)
    ]
    assert all(None not in sight for sight in probe.measurements[2:])
    assert probe.measurements[0][3:] == (None, None, None)


def test_the_residuals_length_by_hand():
    pipe = WAN.build()
    blocks, added = pipe.transformer.blocks, []
    blocks[0].register_forward_pre_hook(lambda _, args: added.append([args[0].clone(), None]))
    blocks[-1].register_forward_hook(lambda _, __, output: added[-1].__setitem__(1, output.clone()))
    with probe_pipeline(pipe, "time") as probe:
        WAN.call(pipe, steps=STEPS, guidance=False)
    residuals = [after - before for before, after in added]
    expected = [(b.norm(dim=-1) / a.norm(dim=-1)).mean().item() for a, b in itertools.pairwise(residuals)]
    assert [sight.residual_ratio for sight in probe.measurements[1:]] == pytest.approx(expected, rel=1e-4)
