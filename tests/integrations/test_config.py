"""`NaviCacheConfig`: refused when it is made, or good wherever it travels."""

from __future__ import annotations

import copy
import pickle

import pytest

import navicache
from navicache.integrations.config import NaviCacheConfig


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"policy": "navycache"}, "unknown policy"),
        ({"policy": "navicache", "knobs": {"treshold": 0.1}}, "did you mean 'threshold'"),
        ({"policy": "navicache", "knobs": {"threshold": -1.0}}, "threshold"),
        ({"knobs": {"interval": 3}}, "name the policy too"),
        ({"speedup": 0.5}, "speedup must be"),
        ({"speedup": 2.0, "max_error": 0.1}, "speedup and max_error are targets of the same thing"),
        ({"mode": "fast", "speedup": 2.0}, "mode and speedup are targets of the same thing"),
        ({"knobs": {"speedup": 2.0}}, r"NaviCacheConfig\(speedup=2.0\)"),
        ({"mode": "quick"}, "unknown mode"),
        ({"steps": 0}, "steps must be"),
        ({"steps": True}, "steps must be"),
        ({"policy": 3}, "policy must be a name"),
        ({"policy": navicache.policies.Static(), "speedup": 2.0}, "has its own settings"),
        ({"policy": navicache.policies.Static(), "mode": "fast"}, "has its own settings"),
    ],
)
def test_a_bad_config_is_refused_when_it_is_made(said, told):
    with pytest.raises(ValueError, match=told):
        NaviCacheConfig(**said)


def test_a_config_travels():
    given = {"threshold": 0.1}
    config = NaviCacheConfig("navicache", steps=20, knobs=given)
    given["threshold"] = 9.0
    assert copy.deepcopy(config) == pickle.loads(pickle.dumps(config)) == config
    assert config.to_enable_arguments() == {"policy": "navicache", "mode": None, "steps": 20, "threshold": 0.1}
    with pytest.raises(AttributeError):
        config.steps = 3
