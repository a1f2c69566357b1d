"""Models are recognised by class, configuration and number of experts, as their published config.json have them."""

from typing import Any

import pytest

from navicache.models import MODELS, UNKNOWN_MODEL, CallSpec, ModelSpec, find_model, find_model_by_name

WAN = "WanTransformer3DModel"
COMMON: dict[str, Any] = {
    "_class_name": WAN,
    "patch_size": [1, 2, 2],
    "attention_head_dim": 128,
    "text_dim": 4096,
    "freq_dim": 256,
    "qk_norm": "rms_norm_across_heads",
}
# From transformer/config.json of the diffusers repositories.
T2V_13B = {**COMMON, "in_channels": 16, "out_channels": 16, "num_attention_heads": 12, "num_layers": 30}
T2V_14B = {**COMMON, "in_channels": 16, "out_channels": 16, "num_attention_heads": 40, "num_layers": 40}
I2V_14B = {**COMMON, "in_channels": 36, "out_channels": 16, "num_attention_heads": 40, "num_layers": 40}
TI2V_5B = {**COMMON, "in_channels": 48, "out_channels": 48, "num_attention_heads": 24, "num_layers": 30}
COG = "CogVideoXTransformer3DModel"
HUNYUAN = {"in_channels": 16, "num_attention_heads": 24, "num_layers": 20, "num_single_layers": 40}


@pytest.mark.parametrize(
    ("transformer", "config", "experts", "name"),
    [
        (WAN, T2V_13B, 1, "Wan 2.1 T2V-1.3B"),
        (WAN, T2V_14B, 1, "Wan 2.1 T2V-14B"),
        (WAN, I2V_14B, 1, "Wan 2.1 I2V-14B"),
        (WAN, TI2V_5B, 1, "Wan 2.2 TI2V-5B"),
        (WAN, T2V_14B, 2, "Wan 2.2 T2V-A14B"),
        (WAN, I2V_14B, 2, "Wan 2.2 I2V-A14B"),
        ("HunyuanVideoTransformer3DModel", HUNYUAN, 1, "HunyuanVideo"),
        (COG, {"in_channels": 16, "num_layers": 30, "num_attention_heads": 30}, 1, "CogVideoX-2b"),
        (COG, {"in_channels": 16, "num_layers": 42, "patch_size_t": None}, 1, "CogVideoX-5b"),
        (COG, {"in_channels": 32, "num_layers": 42}, 1, "CogVideoX-5b-I2V"),
        (COG, {"in_channels": 16, "num_layers": 42, "patch_size_t": 2}, 1, "CogVideoX1.5-5B"),
        (COG, {"in_channels": 32, "num_layers": 42, "patch_size_t": 2}, 1, "CogVideoX1.5-5B-I2V"),
        (COG, {"in_channels": 16, "num_layers": 2}, 1, "CogVideoX of an unlisted size"),
        ("FluxTransformer2DModel", {"in_channels": 64, "num_layers": 19, "num_single_layers": 38}, 1, "FLUX.1"),
        ("LTXVideoTransformer3DModel", {"in_channels": 128, "num_layers": 28}, 1, "LTX-Video"),
        ("MochiTransformer3DModel", {"in_channels": 12, "num_layers": 48}, 1, "Mochi 1"),
        ("STDiT3Transformer", {"depth": 28, "in_channels": 4}, 1, "Open-Sora 1.2"),
    ],
)
def test_real_configs(transformer, config, experts, name):
    spec = find_model(transformer, config, experts)
    assert spec.name == name
    assert find_model_by_name(name) is spec


@pytest.mark.parametrize(
    "config", [{**T2V_13B, "in_channels": 33}, {**T2V_13B, "num_layers": 31}, {**TI2V_5B, "num_layers": 40}, {}, None]
)
def test_unlisted_wan_says_so(config):
    spec = find_model(WAN, config)
    assert spec.name == "Wan of an unlisted size"
    assert "Wan 2.1 values are used" in spec.note


@pytest.mark.parametrize("name", ["SomethingElse", "", "wantransformer3dmodel", "HunyuanVideo15Transformer3DModel"])
@pytest.mark.parametrize("experts", [1, 2])
def test_unknown_model_says_so(name, experts):
    spec = find_model(name, T2V_13B, experts)
    assert spec is UNKNOWN_MODEL
    assert "no setting is published" in spec.note
    assert "0.05" in spec.note


@pytest.mark.parametrize("spec", MODELS, ids=lambda spec: spec.name)
def test_a_model_of_guesses_has_a_note(spec: ModelSpec):
    """Where all of NaviCache's modes are inferred the user is told."""
    if all(entry.inferred for entry in spec.presets["navicache"].values()):
        assert "values are used" in spec.note
    else:
        assert spec.note == ""


def test_every_model_can_be_found():
    """None is hidden behind a more general one, and names are unique."""
    for spec in MODELS:
        assert find_model(spec.transformer, spec.config, spec.experts or 1) is spec
    assert len({spec.name for spec in MODELS}) == len(MODELS)
    assert MODELS[-1] is UNKNOWN_MODEL


def test_unknown_name():
    with pytest.raises(ValueError, match=r"unknown model 'Wan'; known: 'Wan 2.2 I2V-A14B'.*'HunyuanVideo'"):
        find_model_by_name("Wan")


def test_cogvideox_has_its_channels_behind_the_frames():
    for spec in MODELS:
        assert (spec.call == CallSpec(channel_dim=2)) == spec.name.startswith("CogVideoX")
    assert find_model_by_name("HunyuanVideo").call == CallSpec()
