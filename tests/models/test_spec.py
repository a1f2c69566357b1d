"""How a model is recognised, and what a mode of it is set to."""

import pytest

from navicache.models import UNKNOWN_MODEL, ModelSpec, Preset, find_model_by_name, find_preset


def test_policy_without_a_preset_keeps_its_defaults():
    entry = find_preset(UNKNOWN_MODEL, "static", "mid")
    assert (dict(entry.knobs), entry.inferred) == ({}, True)


def test_unknown_mode():
    with pytest.raises(ValueError, match="unknown mode 'turbo'; known: fast, mid, slow"):
        find_preset(UNKNOWN_MODEL, "navicache", "turbo")


@pytest.mark.parametrize(("model", "policy"), [("HunyuanVideo", "easycache"), ("unknown model", "random")])
def test_mode_nobody_set(model, policy):
    with pytest.raises(
        ValueError, match=f"{model} has no 'fast' setting for policy '{policy}', only 'mid'; give its knobs"
    ):
        find_preset(find_model_by_name(model), policy, "fast")


SPEC = ModelSpec("One", "Kind", {"layers": 30}, experts=2)


@pytest.mark.parametrize(
    ("spec", "facts", "matches"),
    [
        (SPEC, ("Kind", {"layers": 30, "width": 8}, 2), True),
        (SPEC, ("Other", {"layers": 30}, 2), False),
        (SPEC, ("Kind", {"layers": 31}, 2), False),
        (SPEC, ("Kind", {}, 2), False),
        (SPEC, ("Kind", {"layers": 30}, 1), False),
        (ModelSpec("Any", ""), ("Whatever", {}, 7), True),
    ],
)
def test_class_configuration_and_experts_must_all_agree(spec, facts, matches):
    assert spec.matches(*facts) is matches


def test_a_models_own_preset_is_found_by_policy_and_mode():
    fast, mid = Preset({"threshold": 0.2}, "there"), Preset({"threshold": 0.1}, "here")
    spec = ModelSpec("One", "Kind", presets={"navicache": {"fast": fast, "mid": mid}})
    assert find_preset(spec, "navicache", "fast") is fast
    assert find_preset(spec, "navicache", "mid") is mid
