"""STDiT3 against the published code."""

from __future__ import annotations

import pytest
import torch
from tests.opensora.common import inputs, table, tensors, tiny_transformer, worst

from navicache_opensora import STDiT3Transformer
from navicache_opensora.attention import RMSNorm
from navicache_opensora.blocks import layer_norm

CASES = (
    "t2v_cfg",
    "t2v_large_s",
    "odd_hw",
    "x_mask",
    "x_mask_all_true",
    "image_t1",
    "no_text_mask",
    "varlen_text",
)


@pytest.mark.parametrize("name", CASES)
def test_output_and_what_lies_between(name: str) -> None:
    case, model, seen = tensors(f"stdit3_case_{name}"), tiny_transformer(), {}
    middle = [key for key in case if key.startswith("mid.") and key != "mid.pos_embed"]
    for key in middle:
        part = model.get_submodule(key.removeprefix("mid."))
        part.register_forward_hook(lambda _module, _args, output, key=key: seen.update({key: output}))
    assert worst(model(**inputs(case)).sample, case["out"]) < 1e-5
    for key in middle:
        scale = max(1.0, case[key].abs().max().item() / 4)
        assert worst(seen[key].reshape(case[key].shape), case[key]) < 1e-5 * scale, key


def test_a_mask_that_is_true_everywhere_changes_nothing() -> None:
    given = inputs(tensors("stdit3_case_x_mask_all_true"))
    model = tiny_transformer()
    assert worst(model(**given).sample, model(**{**given, "x_mask": None}).sample) < 1e-6


def test_position_embedding() -> None:
    case = tensors("stdit3_case_t2v_cfg")
    found = tiny_transformer()._embed_positions((5, 3, 4), inputs(case), torch.float32)
    assert worst(found, case["mid.pos_embed"]) < 1e-6


def test_bfloat16_rounds_where_the_published_model_does() -> None:
    case = tensors("stdit3_case_bf16_t2v_cfg")
    given, model = inputs(case), tiny_transformer().to(torch.bfloat16)
    assert torch.equal(model._embed_positions((5, 3, 4), given, torch.bfloat16), case["mid.pos_embed"])
    assert torch.equal(model.rope.compute_angles(5), case["mid.rope_angles"])
    assert torch.equal(given["timestep"].to(torch.bfloat16), case["mid.timestep_bf16"])
    out = model(**given).sample
    assert out.dtype == torch.float32
    assert worst(out, case["out"]) < 0.15


@pytest.mark.parametrize("kind", ["rms", "rms_bf16"])
def test_rms_norm(kind: str) -> None:
    case = tensors("unit_norms")
    layer = RMSNorm(16)
    layer.weight.data = case[f"{kind}.weight"]
    found = layer(case[f"{kind}.in"])
    assert found.dtype == case[f"{kind}.out"].dtype
    assert worst(found.float(), case[f"{kind}.out"].float()) < 1e-6


def test_layer_norm() -> None:
    case = tensors("unit_norms")
    assert worst(layer_norm(case["ln.in"]), case["ln.out"]) < 1e-6


def test_the_full_model_has_the_published_keys() -> None:
    with torch.device("meta"):
        model = STDiT3Transformer()
    found = {key: list(value.shape) for key, value in model.state_dict().items()}
    assert found == table("full_stdit3_xl2_keys")
    assert sum(value.numel() for value in model.state_dict().values()) == 1_208_872_772
