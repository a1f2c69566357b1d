"""Presets against the published numbers, written down here once more with their source."""

from typing import Any

import pytest
from tests.models.rivals import RIVALS

from navicache.models import MODELS, MODES, ModelSpec, find_model_by_name, find_preset
from navicache.policies import POLICIES, Blocks, NaviCache, build_policy, find_policy

# NaviCache, arXiv:2606.26795, "Implementation Detail", and the official scripts: Q = R = 0.05, P0 = 1 throughout.
# threshold fast, mid, slow; alignment steps
NAVICACHE = {
    "Wan 2.1 T2V-1.3B": ((0.07, 0.05, 0.04), 10),  # paper; Wan2.1 script 3987f30f defaults to 0.05 and 10
    "Wan 2.1 T2V-14B": ((0.07, 0.05, 0.04), 10),  # README: results at 0.05
    "Wan 2.1 I2V-14B": ((0.07, 0.05, 0.04), 10),  # README: results at 0.05
    "HunyuanVideo": ((0.04, 0.035, 0.025), 5),  # paper; script c055e639 defaults to 0.025 and 5
}
# EasyCache, arXiv:2507.02860, scripts of the repository; A14B and TI2V-5B from upstream 3149a412.
EASYCACHE = {
    "Wan 2.1 T2V-1.3B": (0.05, 10, True),
    "Wan 2.1 T2V-14B": (0.05, 10, True),
    "Wan 2.1 I2V-14B": (0.05, 10, True),
    "Wan 2.2 T2V-A14B": (0.06, 7, True),
    "Wan 2.2 I2V-A14B": (0.06, 7, True),
    "Wan 2.2 TI2V-5B": (0.05, 7, False),  # its cut-off is doubled twice, so the last step is never forced
    "HunyuanVideo": (0.025, 5, True),
}
# Open-Sora 1.2: paper and script 19229a58, tokens in and out of the blocks.
OPEN_SORA = {"fast": 0.55, "mid": 0.35, "slow": 0.15}
# (model, policy, mode) that someone has published; all else is our guess.
PUBLISHED = {(name, "navicache", mode) for name in NAVICACHE for mode in MODES}
PUBLISHED -= {(f"Wan 2.1 {size}", "navicache", mode) for size in ("T2V-14B", "I2V-14B") for mode in ("fast", "slow")}
PUBLISHED |= {(name, "easycache", "mid") for name in EASYCACHE}
PUBLISHED |= {("Wan 2.2 TI2V-5B", "navicache", "mid")}  # script c2235ff4
PUBLISHED |= {("Open-Sora 1.2", "navicache", mode) for mode in MODES}
PUBLISHED |= {(name, policy, mode) for policy, models in RIVALS.items() for name in models for mode in models[name]}

EVERY_PRESET = [
    (spec, policy, mode, entry)
    for spec in MODELS
    for policy, modes in spec.presets.items()
    for mode, entry in modes.items()
]
every_preset = pytest.mark.parametrize(
    ("spec", "policy", "mode", "entry"), EVERY_PRESET, ids=[f"{s.name}, {p} {m}" for s, p, m, _ in EVERY_PRESET]
)


def built(model: str, policy: str, mode: str) -> Any:
    return build_policy(policy, **find_preset(find_model_by_name(model), policy, mode).knobs)


@pytest.mark.parametrize("model", NAVICACHE)
def test_navicache_as_published(model):
    thresholds, align_steps = NAVICACHE[model]
    for mode, threshold in zip(("fast", "mid", "slow"), thresholds, strict=True):
        assert (
            built(model, "navicache", mode).settled()
            == NaviCache(
                threshold=threshold,
                align_steps=align_steps,
                process_noise=0.05,
                measurement_noise=0.05,
                initial_variance=1.0,
                alignment="newest",
                output_epsilon=0.0,
                epsilon=1e-8,
                last_step=True,
            ).resolve_all_knobs()
        )


def test_navicache_for_wan22_ti2v():
    """Official Wan2.2 script, c2235ff4: tau 0.05, 10 steps, r0 = 0, plain filter, 1e-8 beside m(y_j)."""
    policy = built("Wan 2.2 TI2V-5B", "navicache", "mid")
    assert policy == NaviCache(threshold=0.05, align_steps=10, alignment="filtered", output_epsilon=1e-8)
    for mode, threshold in (("fast", 0.07), ("slow", 0.04)):  # of Wan 2.1
        policy = built("Wan 2.2 TI2V-5B", "navicache", mode)
        assert policy == NaviCache(threshold=threshold, align_steps=10, alignment="filtered", output_epsilon=1e-8)


def test_navicache_for_open_sora():
    for mode, threshold in OPEN_SORA.items():
        policy = built("Open-Sora 1.2", "navicache", mode)
        assert policy == NaviCache(threshold=threshold, align_steps=5, output_epsilon=1e-8, site="blocks")
        assert (built("Open-Sora 1.2", "ema", mode).site, policy.schemes()[0].site) == ("blocks", Blocks())


@pytest.mark.parametrize(("policy", "model"), [(policy, model) for policy in RIVALS for model in RIVALS[policy]])
def test_rivals_as_published(policy, model):
    for mode, knobs in RIVALS[policy][model].items():
        rival = built(model, policy, mode)
        assert {knob: shown(rival, knob) for knob in knobs} == knobs
        assert rival.schemes()


def shown(policy: Any, knob: str) -> Any:
    """A knob; "ends" are the first and the last of the coefficients."""
    return policy.coefficients[::4] if knob == "ends" else getattr(policy, knob)


@pytest.mark.parametrize("model", EASYCACHE)
def test_easycache_as_published(model):
    policy = built(model, "easycache", "mid")
    assert (policy.threshold, policy.align_steps, policy.last_step) == EASYCACHE[model]


def test_easycache_on_open_sora_is_as_navicache_mid_and_says_that_it_is_a_guess():
    policy, navicache = (built("Open-Sora 1.2", name, "mid") for name in ("easycache", "navicache"))
    same = ("threshold", "align_steps", "site")
    assert [getattr(policy, knob) for knob in same] == [getattr(navicache, knob) for knob in same]
    assert find_preset(find_model_by_name("Open-Sora 1.2"), "easycache", "mid").inferred


@pytest.mark.parametrize(
    ("model", "interval", "probability", "implied"),
    [
        ("Wan 2.1 T2V-1.3B", 2.5, 0.4, (20.5, 20.6)),
        ("HunyuanVideo", 1.8, 0.5, (27.9, 25.2)),
        ("Open-Sora 1.2", 2.0, 0.5, (15.4 * 50 / 30, 14.9 * 50 / 30)),
    ],
)
def test_static_and_random_as_the_latencies_imply(model, interval, probability, implied):
    """NaviCache Table 1; computed steps of 50 that its latencies stand for (navicache.json, derived)."""
    static, random = built(model, "static", "mid"), built(model, "random", "mid")
    assert (static.interval, random.probability) == (interval, probability)
    assert 50 / interval == pytest.approx(implied[0], abs=0.7)
    assert 50 * probability == pytest.approx(implied[1], abs=0.7)


@every_preset
def test_every_preset_builds_and_names_its_source(spec, policy, mode, entry):
    assert mode in MODES
    assert find_preset(spec, policy, mode) is entry
    assert type(build_policy(policy, **entry.knobs)) is find_policy(policy)
    assert len(entry.source.strip()) > 5


@every_preset
def test_inferred_is_what_nobody_published(spec, policy, mode, entry):
    assert entry.inferred == ((spec.name, policy, mode) not in PUBLISHED)


def test_everything_published_has_a_preset():
    assert {(spec.name, policy, mode) for spec, policy, mode, _ in EVERY_PRESET} >= PUBLISHED


@pytest.mark.parametrize("spec", MODELS, ids=lambda spec: spec.name)
def test_modes_of_a_model(spec: ModelSpec):
    """NaviCache and its ablation in all three modes, at the same thresholds, faster meaning larger."""
    for policy in ("navicache", "ema"):
        thresholds = [find_preset(spec, policy, mode).knobs["threshold"] for mode in ("fast", "mid", "slow")]
        assert thresholds == sorted(set(thresholds), reverse=True)
    for mode in MODES:
        navi, ema = (find_preset(spec, policy, mode).knobs for policy in ("navicache", "ema"))
        assert (navi["threshold"], navi["align_steps"]) == (ema["threshold"], ema["align_steps"])


@pytest.mark.parametrize("spec", MODELS, ids=lambda spec: spec.name)
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_has_a_mid(spec: ModelSpec, policy: str):
    assert build_policy(policy, **find_preset(spec, policy, "mid").knobs).name == policy
