"""The command that makes a diffusers folder of published checkpoints."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tests.opensora import published
from tests.opensora.common import run, tiny_pipe, tiny_text_encoder, tiny_tokenizer, tiny_transformer
from tests.support.commands import refused

from navicache.cli import main
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache_opensora import OpenSoraPipeline, STDiT3Transformer
from navicache_opensora.checkpoint import read_stored_dtype


def convert(*arguments: object) -> int:
    return main(["convert-opensora", *map(str, arguments)])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    published.save_transformer(folder / "OpenSora-STDiT-v3")
    published.save_vae(folder / "OpenSora-VAE-v1.2")
    return folder


def test_all_parts(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny_text_encoder().save_pretrained(source / "t5")
    tiny_tokenizer().save_pretrained(source / "t5")
    assert convert(source, tmp_path / "out") == 0
    assert "written to" in capsys.readouterr().out
    pipe = OpenSoraPipeline.from_pretrained(tmp_path / "out")
    pipe.set_progress_bar_config(disable=True)
    assert torch.equal(run(pipe), run(tiny_pipe()))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "source"]
    unconverted = OpenSoraPipeline.from_pretrained(source)
    unconverted.set_progress_bar_config(disable=True)
    assert torch.equal(run(unconverted), run(pipe))


def test_without_text(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(source, tmp_path / "out", "--dtype", "bfloat16") == 0
    assert "no text encoder" in capsys.readouterr().out
    text = {"text_encoder": tiny_text_encoder(), "tokenizer": tiny_tokenizer()}
    assert OpenSoraPipeline.from_pretrained(tmp_path / "out", **text).tokenizer is text["tokenizer"]
    for part in ("transformer", "vae"):
        assert read_stored_dtype(tmp_path / "out" / part / "diffusion_pytorch_model.safetensors") == torch.bfloat16
    assert OpenSoraPipeline.from_pretrained(tmp_path / "out").text_encoder is None


def test_published_folders_open_as_a_pipeline(source: Path) -> None:
    tokenizer = tiny_tokenizer()
    pipe = OpenSoraPipeline.from_pretrained(source, dtype=torch.bfloat16, tokenizer=tokenizer)
    assert pipe.transformer.dtype == pipe.vae.dtype == torch.bfloat16
    assert pipe.tokenizer is tokenizer and pipe.text_encoder is None
    with pytest.raises(ValueError, match="loaded without device_map"):
        OpenSoraPipeline.from_pretrained(source, device_map="balanced")
    with pytest.raises(ValueError, match="holds no published vae"):
        OpenSoraPipeline.from_pretrained(source / "OpenSora-STDiT-v3")


def test_one_model(source: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()  # an empty folder is as good as none
    assert convert(source / "OpenSora-STDiT-v3", tmp_path / "out") == 0
    opened = STDiT3Transformer.from_pretrained(tmp_path / "out").state_dict()
    assert all(torch.equal(value, opened[key]) for key, value in tiny_transformer().state_dict().items())


def test_nothing_half_written_is_left(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published.save_transformer(source / "OpenSora-STDiT-v3", **{"t_block.1.bias": None})
    assert "missing: t_block.1.bias" in refused(capsys, "convert-opensora", source, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_bad_places(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no folder" in refused(capsys, "convert-opensora", tmp_path / "nothing", tmp_path / "out")
    assert "make it first" in refused(capsys, "convert-opensora", source, tmp_path / "no" / "out")
    assert "exists already" in refused(capsys, "convert-opensora", source, source)
    (source / "OpenSora-VAE-v1.2" / "model.safetensors").unlink()
    assert "holds no published vae" in refused(capsys, "convert-opensora", source, tmp_path / "out")
    published.save_transformer(source / "another")
    assert "holds two of transformer" in refused(capsys, "convert-opensora", source, tmp_path / "out")


def test_generate_opens_the_folder(tmp_path: Path) -> None:
    tiny_pipe().save_pretrained(tmp_path)
    pipe = load_pipeline(ModelSource(str(tmp_path), dtype="float32", device="cpu"))
    pipe.set_progress_bar_config(disable=True)
    assert torch.equal(run(pipe), run(tiny_pipe()))
