"""STDiT3: what holds for any input."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opensora.common import inputs, tensors, tiny_transformer

from navicache_opensora import STDiT3Transformer
from navicache_opensora.blocks import TimeConditioning
from navicache_opensora.transformer import repeat_to_batch

MODEL = tiny_transformer()


def draw(frames: int, rows: int, columns: int, batch: int = 2, tokens: int = 6) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(frames * 100 + rows * 10 + columns)
    return {
        "x": torch.randn(batch, 4, frames, rows, columns, generator=generator),
        "timestep": torch.full((batch,), 500.0),
        "y": torch.randn(batch, 1, tokens, 32, generator=generator),
        "fps": torch.tensor([24.0]),
        "height": torch.tensor([rows * 8.0]),
        "width": torch.tensor([columns * 8.0]),
    }


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6), st.integers(1, 7), st.integers(1, 7))
def test_any_size_keeps_its_shape(frames: int, rows: int, columns: int) -> None:
    given_inputs = draw(frames, rows, columns)
    out = MODEL(**given_inputs).sample
    assert out.shape == (2, 8, frames, rows, columns)
    assert out.isfinite().all()


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6))
def test_padding_tokens_are_never_seen(length: int, junk: int) -> None:
    given_inputs = draw(2, 4, 4)
    short = MODEL(**{**given_inputs, "y": given_inputs["y"][:, :, :length]}).sample
    mask = (torch.arange(6) < length).long()[None]
    changed = given_inputs["y"].clone()
    changed[:, :, length:] = junk * 10.0
    assert (MODEL(**{**given_inputs, "y": changed, "mask": mask}).sample - short).abs().max() < 2e-5


@settings(max_examples=10, deadline=None)
@given(st.lists(st.booleans(), min_size=3, max_size=3))
def test_rows_do_not_mix(active: list[bool]) -> None:
    given_inputs = draw(3, 4, 4)
    x_mask = torch.tensor([active, [True] * 3])
    both = MODEL(**given_inputs, x_mask=x_mask).sample
    each = [
        MODEL(
            **{**given_inputs, **{name: given_inputs[name][i : i + 1] for name in ("x", "timestep", "y")}},
            x_mask=x_mask[i : i + 1],
        ).sample
        for i in range(2)
    ]
    assert (both - torch.cat(each)).abs().max() < 2e-5


@pytest.mark.parametrize(("kind", "masked"), [("spatial_blocks", False), ("temporal_blocks", True)])
def test_blocks_compile_without_a_break(kind: str, masked: bool) -> None:
    block = getattr(MODEL, kind)[0]
    hidden, text = torch.randn(2, 12, 64), torch.randn(2, 6, 64)
    time = TimeConditioning(torch.randn(2, 384), torch.randn(2, 384), torch.tensor([[True, False, True]] * 2))
    arguments = (
        hidden,
        text,
        torch.ones(2, 1, 1, 6, dtype=torch.bool),
        time if masked else TimeConditioning(time.noisy),
        3,
    )
    rotary = MODEL.rope(3) if kind == "temporal_blocks" else None
    compiled = torch.compile(block, fullgraph=True, backend="eager")
    assert torch.equal(compiled(*arguments, rotary), block(*arguments, rotary))


def test_the_whole_model_compiles_without_a_break() -> None:
    given_inputs = inputs(tensors("stdit3_case_x_mask"))
    model = tiny_transformer()
    compiled = torch.compile(model, fullgraph=True, backend="eager")
    assert torch.equal(compiled(**given_inputs).sample, model(**given_inputs).sample)


def test_no_parameter_asks_for_a_gradient() -> None:
    assert not any(parameter.requires_grad for parameter in MODEL.parameters())
    assert not MODEL(**draw(1, 2, 2)).sample.requires_grad


@pytest.mark.parametrize("name", ["x", "y"])
def test_integers_are_refused(name: str) -> None:
    given_inputs = draw(1, 2, 2)
    with pytest.raises(TypeError, match=f"{name} must hold floats"):
        MODEL(**{**given_inputs, name: given_inputs[name].long()})


def test_sizes_are_required() -> None:
    given_inputs = draw(1, 2, 2)
    with pytest.raises(ValueError, match="pass fps, height as tensors"):
        MODEL(**{name: value for name, value in given_inputs.items() if name not in ("fps", "height")})


def test_rows_that_do_not_divide_are_refused() -> None:
    with pytest.raises(ValueError, match="not a multiple of the 2 rows"):
        repeat_to_batch(torch.ones(2, 3), 3)


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple of 4"):
        STDiT3Transformer(hidden_size=30, num_heads=4, depth=1)
    with pytest.raises(ValueError, match="skip_y_embedder"):
        STDiT3Transformer(hidden_size=32, num_heads=4, depth=1, skip_y_embedder=True)
