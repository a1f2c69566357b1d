"""How a model is recognised, and what a mode of it is set to."""

import pytest

from navicache.models import UNKNOWN, model_named, preset


def test_policy_without_a_preset_keeps_its_defaults():
    entry = preset(UNKNOWN, "static", "mid")
    assert (dict(entry.knobs), entry.inferred) == ({}, True)


def test_unknown_mode():
    with pytest.raises(ValueError, match="unknown mode 'turbo'; known: fast, mid, slow"):
        preset(UNKNOWN, "navicache", "turbo")


@pytest.mark.parametrize(("model", "policy"), [("HunyuanVideo", "easycache"), ("unknown model", "random")])
def test_mode_nobody_set(model, policy):
    with pytest.raises(
        ValueError, match=f"{model} has no 'fast' setting for policy '{policy}', only 'mid'; give its knobs"
    ):
        preset(model_named(model), policy, "fast")
