"""Distillation of wan to few steps: the adapter, the teacher's course, and the whole command in miniature."""

import json

import pytest
import safetensors.torch
import torch
from diffusers import WanPipeline
from tests.pocket.tiny_checkpoint import save

from navicache_pocket.train.__main__ import main as train
from navicache_pocket.train.turbo.low_rank import add_low_rank, iterate_matrices, merge_low_rank, read_low_rank
from navicache_pocket.train.turbo.trajectories import TeacherSettings, follow_teacher, list_levels

SHAPE = (1, 16, 2, 4, 4)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return save(tmp_path_factory.mktemp("wan"))


def open_transformer(base):
    return WanPipeline.from_pretrained(base, dtype=torch.float32).transformer


def apply(transformer):
    torch.manual_seed(1)
    text = torch.randn(1, 8, transformer.config.text_dim)
    return transformer(torch.randn(SHAPE), torch.tensor([500.0]), text, return_dict=False)[0]


def test_a_fresh_adapter_changes_nothing_and_only_it_is_trained(base):
    plain, adapted = open_transformer(base), open_transformer(base)
    layers = add_low_rank(adapted, 4)
    assert torch.equal(apply(plain), apply(adapted))
    apply(adapted).sum().backward()
    trained = {id(weight) for weight in iterate_matrices(layers)}
    assert {id(weight) for weight in adapted.parameters() if weight.requires_grad} == trained
    assert all(name.startswith("blocks.") for name in layers) and len(layers) == 2 * (8 + 2)


def test_a_merged_file_is_the_adapter_and_diffusers_reads_it_alike(base, tmp_path):
    adapted, merged = open_transformer(base), open_transformer(base)
    layers = add_low_rank(adapted, 4)
    torch.manual_seed(2)
    for weight in iterate_matrices(layers):
        weight.data = 0.1 * torch.randn_like(weight).half().float()
    file = read_low_rank(layers)
    merge_low_rank(merged, file)
    torch.testing.assert_close(apply(merged), apply(adapted), rtol=1e-4, atol=1e-4)
    safetensors.torch.save_file(file, tmp_path / "pytorch_lora_weights.safetensors")
    pipe = WanPipeline.from_pretrained(base, dtype=torch.float32)
    pipe.load_lora_weights(tmp_path)
    torch.testing.assert_close(apply(pipe.transformer), apply(adapted), rtol=1e-4, atol=1e-4)


def test_levels_are_the_samplers():
    levels = list_levels(TeacherSettings(steps=4, shift=3.0))
    assert levels[0] == 1 and levels[-1] == 0 and len(levels) == 5
    assert (levels.diff() < -0.03).all(), "every step is one"


def test_a_straight_course_is_followed_exactly():
    """The velocity is 2 with the text and 1 without: guidance 3 makes it 4, and the way is 1 long."""

    def model(at, time, text, return_dict):
        assert len(at) == len(time) == len(text) and not return_dict
        return (torch.ones_like(at) * (1 + text[:, :1, :1].unsqueeze(-1).unsqueeze(-1)),)

    settings = TeacherSettings(steps=2, substeps=3, guidance=3.0)
    text = torch.ones(2, 1, 1)
    levels = torch.tensor([1.0, 0.25, 0.0])
    states = follow_teacher(model, torch.zeros(2, 1, 1, 1, 1), text, 0 * text, levels, settings)
    assert states[0].flatten().tolist() == pytest.approx([0, -3, -4])


def test_the_whole_training_in_miniature(base, tmp_path, monkeypatch):
    call = ["--member", "turbo", "--base", str(base), "--out", str(tmp_path), "--device", "cpu", "--seconds", "1"]
    small = ["--videos", "4", "--batch", "2", "--rank", "2", "--size", "32", "--frames", "5", "--samples", "1"]
    monkeypatch.setattr("sys.argv", ["train", *call, *small])
    train()
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["steps"] > 0 and {"student", "wan in as few steps"} <= figures.keys()
    file = safetensors.torch.load_file(tmp_path / "adapter" / "pytorch_lora_weights.safetensors")
    assert all(weight.dtype == torch.float16 and weight.isfinite().all() for weight in file.values())
    assert (tmp_path / "sheet.jpg").stat().st_size > 0
