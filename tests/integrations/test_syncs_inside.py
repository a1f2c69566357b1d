"""What a decision inside the model costs: device syncs, counted at the only door there is."""

import pytest
from tests.tiny.wan import WAN

import navicache
from navicache.engine.tensors import device_readings

STEPS = 12


@pytest.mark.parametrize(
    ("policy", "knobs", "syncs"),
    [
        ("navicache", {"site": "blocks", "threshold": 0.5, "align_steps": 2}, STEPS - 1),  # one a step after the first
        ("inertial", {"site": "blocks", "threshold": 0.05, "align_steps": 3}, STEPS - 1),
        ("teacache", {"threshold": 0.5}, 2 * (STEPS - 1) + 1),  # each branch decides; the first has outputs to learn
        ("firstblockcache", {"threshold": 0.5}, 2 * (STEPS - 1) + 1),
        ("magcache", {"ratios": (1.0, *[0.98] * (STEPS - 1))}, 0),
        ("taylorseer", {}, 0),
        ("hicache", {}, 0),
        ("spectrum", {}, 0),
        ("pab", {"self_window": (0, 1000)}, STEPS),  # the timestep
    ],
)
def test_syncs(monkeypatch, policy, knobs, syncs):
    pipe = WAN.build()
    calls = []
    own = device_readings.copy_to_host
    monkeypatch.setattr(device_readings, "copy_to_host", lambda values: calls.append(1) or own(values))
    with navicache.enable(pipe, policy, **knobs):
        pipe.transformer._reset_stateful_cache = lambda *_, **__: None  # the end of a run brings over what is left
        WAN.call(pipe, steps=STEPS)
        assert len(calls) == syncs
