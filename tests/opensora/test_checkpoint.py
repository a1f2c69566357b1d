"""Both forms of checkpoint open, and one that does not fit is refused by the name of the key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.opensora import published
from tests.opensora.common import inputs, run, tensors, tiny_pipe, tiny_transformer, tiny_vae

from navicache_opensora import AutoencoderOpenSora, OpenSoraPipeline, STDiT3Transformer

CASE = inputs(tensors("stdit3_case_x_mask"))
PARTS: Any = pytest.mark.parametrize(
    ("model", "save", "build"),
    [
        (STDiT3Transformer, published.save_transformer, tiny_transformer),
        (AutoencoderOpenSora, published.save_vae, tiny_vae),
    ],
    ids=["transformer", "vae"],
)


def assert_same(left: torch.nn.Module, right: torch.nn.Module) -> None:
    here, there = left.state_dict(), right.state_dict()
    assert here.keys() == there.keys()
    assert all(torch.equal(value, there[key]) for key, value in here.items())


@PARTS
def test_published(tmp_path: Path, model: Any, save: Any, build: Any) -> None:
    opened = model.from_pretrained(save(tmp_path / "published"))
    assert_same(opened, build())
    assert not opened.training and not any(parameter.requires_grad for parameter in opened.parameters())


@PARTS
def test_round_trip(tmp_path: Path, model: Any, save: Any, build: Any) -> None:
    model.from_pretrained(save(tmp_path / "published")).save_pretrained(tmp_path / "ours")
    opened = model.from_pretrained(tmp_path / "ours")
    assert_same(opened, build())
    kept = {key: value for key, value in build().config.items() if not key.startswith("_")}
    assert json.loads(json.dumps(kept)) == {key: json.loads(json.dumps(opened.config[key])) for key in kept}
    half = model.from_pretrained(tmp_path / "ours", dtype=torch.bfloat16)
    assert {value.dtype for value in half.state_dict().values()} == {torch.bfloat16}


@PARTS
@pytest.mark.parametrize("name", ["dtype", "torch_dtype"])
def test_published_in_another_dtype(tmp_path: Path, model: Any, save: Any, build: Any, name: str) -> None:
    opened = model.from_pretrained(save(tmp_path), **{name: torch.bfloat16})
    assert_same(opened, build().to(torch.bfloat16))


def test_rotary_frequencies_may_be_missing(tmp_path: Path) -> None:
    published.save_transformer(tmp_path, **{"rope.freqs": None})
    opened = STDiT3Transformer.from_pretrained(tmp_path)
    assert_same(opened, tiny_transformer())
    assert torch.equal(opened(**CASE).sample, tiny_transformer()(**CASE).sample)
    opened.save_pretrained(tmp_path / "ours")
    weights = load_file(tmp_path / "ours" / "diffusion_pytorch_model.safetensors")
    save_file({key: value for key, value in weights.items() if key != "rope.freqs"}, tmp_path / "ours" / NAME)
    assert_same(STDiT3Transformer.from_pretrained(tmp_path / "ours"), tiny_transformer())


NAME = "diffusion_pytorch_model.safetensors"
BAD = pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"temporal_blocks.1.attn.proj.bias": None}, r"missing: temporal_blocks\.1\.attn\.proj\.bias"),
        ({"extra.weight": torch.zeros(2)}, r"not of this model: extra\.weight"),
        ({"t_block.1.bias": torch.zeros(7)}, r"t_block\.1\.bias.*\(?7"),
    ],
    ids=["missing", "extra", "misshapen"],
)


@BAD
def test_a_published_checkpoint_that_does_not_fit(tmp_path: Path, change: Any, message: str) -> None:
    published.save_transformer(tmp_path, **change)
    with pytest.raises(ValueError, match=message):
        STDiT3Transformer.from_pretrained(tmp_path)


@BAD
def test_a_diffusers_folder_that_does_not_fit(tmp_path: Path, change: Any, message: str) -> None:
    tiny_transformer().save_pretrained(tmp_path)
    save_file(published.changed(load_file(tmp_path / NAME), change), tmp_path / NAME)
    with pytest.raises((ValueError, RuntimeError), match=message):
        STDiT3Transformer.from_pretrained(tmp_path)


def test_many_problems_are_counted(tmp_path: Path) -> None:
    published.save_transformer(tmp_path, **{key: None for key in tensors("stdit3_tiny") if "spatial_blocks.0" in key})
    with pytest.raises(ValueError, match=r"missing: .* and 12 more"):
        STDiT3Transformer.from_pretrained(tmp_path)


def test_the_wrong_kind_of_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="missing: scale, shift"):
        AutoencoderOpenSora.from_pretrained(published.save_transformer(tmp_path))


def test_what_is_no_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"holds no config\.json"):
        STDiT3Transformer.from_pretrained(tmp_path)
    published.save_transformer(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"not a checkpoint")
    with pytest.raises(ValueError, match="no safetensors file, or damaged"):
        STDiT3Transformer.from_pretrained(tmp_path)
    (tmp_path / "model.safetensors").unlink()
    with pytest.raises(OSError, match=r"holds no model\.safetensors"):
        STDiT3Transformer.from_pretrained(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        STDiT3Transformer.from_pretrained(tmp_path)


def test_a_name_that_cannot_be_fetched() -> None:
    with pytest.raises(OSError, match=r"cannot get config\.json of owner/name: it is no folder here"):
        STDiT3Transformer.from_pretrained("owner/name", local_files_only=True)


def test_options(tmp_path: Path) -> None:
    published.save_transformer(tmp_path / "sub")
    assert_same(STDiT3Transformer.from_pretrained(tmp_path, subfolder="sub"), tiny_transformer())
    with pytest.raises(ValueError, match="loaded without device_map: leave it out"):
        STDiT3Transformer.from_pretrained(tmp_path / "sub", device_map="auto")
    for dtype in ("bfloat16", torch.int8):
        with pytest.raises(TypeError, match=r"dtype must be a torch.dtype of floats"):
            STDiT3Transformer.from_pretrained(tmp_path / "sub", dtype=dtype)


def test_the_pipeline_round_trips(tmp_path: Path) -> None:
    pipe = tiny_pipe()
    pipe.save_pretrained(tmp_path)
    opened = OpenSoraPipeline.from_pretrained(tmp_path)
    opened.set_progress_bar_config(disable=True)
    assert torch.equal(run(opened), run(pipe))
    half = OpenSoraPipeline.from_pretrained(tmp_path, dtype=torch.bfloat16)
    assert {part.dtype for part in (half.transformer, half.vae, half.text_encoder)} == {torch.bfloat16}
