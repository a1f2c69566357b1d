"""Training in miniature: it learns, it stops, it goes on, and it ends in a folder that diffusers opens."""

import json
from copy import deepcopy

import pytest
import torch
from diffusers import AutoencoderKLWan, WanPipeline
from diffusers.models.autoencoders.autoencoder_kl_wan import WanRMS_norm

from navicache_pocket.train import __main__ as command
from navicache_pocket.train import configs
from navicache_pocket.train.clips import choose_crop_corners
from navicache_pocket.train.fast_autoencoder import replace_norms
from navicache_pocket.train.polish import PolishSettings, _resample_latents
from navicache_pocket.train.timed_stage import TimedStage, set_learning_rate
from navicache_pocket.train.training_loop import WeightAverage

pytestmark = pytest.mark.slow  # whole trainings, in miniature

SMALL = ["--device", "cpu", "--size", "32", "--frames", "5", "--clips", "8", "--videos", "8", "--batch", "2"]
TIMES = ["--autoencoder-seconds", "0.1", "--denoiser-seconds", "0.1", "--polish-seconds", "0.1", "--checked", "2"]


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(configs, "AUTOENCODER", configs.AUTOENCODER | {"base_dim": 8, "decoder_base_dim": 8})
    monkeypatch.setattr(configs, "TRANSFORMER", configs.TRANSFORMER | {"num_attention_heads": 1, "num_layers": 1})


def run(monkeypatch, out, *more):
    monkeypatch.setattr("sys.argv", ["train", "--out", str(out), *SMALL, *TIMES, *more])
    command.main()


def test_one_command_trains_everything_and_is_not_done_twice(monkeypatch, tiny, tmp_path, capsys):
    run(monkeypatch, tmp_path)
    pipe = WanPipeline.from_pretrained(tmp_path / "checkpoint")
    assert pipe.tokenizer("a red ball").input_ids[-1] == 1
    for stage in ("autoencoder", "denoiser", "polish"):
        assert torch.load(tmp_path / f"{stage}.pt", weights_only=True)["step"] >= 1
    weights = pipe.transformer.proj_out.weight.clone()
    run(monkeypatch, tmp_path)  # every stage finds its time spent
    again = WanPipeline.from_pretrained(tmp_path / "checkpoint")
    assert torch.equal(again.transformer.proj_out.weight, weights)
    figures = json.loads((tmp_path / "polished.json").read_text())
    assert figures["psnr"] > figures["worst"] > 0
    assert figures["objects"] > 0
    assert "checkpoint in" in capsys.readouterr().out


def test_a_checkpoint_is_trained_further_in_its_own_latent_space(monkeypatch, tiny, tmp_path):
    run(monkeypatch, tmp_path / "first")
    run(
        monkeypatch,
        tmp_path / "second",
        "--start",
        str(tmp_path / "first" / "checkpoint"),
        "--autoencoder-seconds",
        "0",
    )
    first, second = (WanPipeline.from_pretrained(tmp_path / name / "checkpoint") for name in ("first", "second"))
    assert not (tmp_path / "second" / "autoencoder.pt").exists()
    encoders = [pipe.vae.encoder.state_dict() for pipe in (first, second)]
    assert all(torch.equal(encoders[0][name], encoders[1][name]) for name in encoders[0])
    moved = (second.transformer.proj_out.weight - first.transformer.proj_out.weight).abs().max()
    assert 0 < moved < 0.1  # further, and from there
    configs_of_second = [*(tmp_path / "second" / "checkpoint").rglob("*.json")]
    assert len(configs_of_second) == 7
    told = [path.name for path in configs_of_second if str(tmp_path) in path.read_text()]
    assert not told, "a packed checkpoint does not say which folder it was trained from"


def test_an_autoencoder_that_is_given_time_is_trained_further_too(monkeypatch, tiny, tmp_path):
    run(monkeypatch, tmp_path / "first")
    run(monkeypatch, tmp_path / "second", "--start", str(tmp_path / "first" / "checkpoint"))
    first, second = (WanPipeline.from_pretrained(tmp_path / name / "checkpoint").vae for name in ("first", "second"))
    moved = (second.encoder.conv_in.weight - first.encoder.conv_in.weight).abs().max()
    assert 0 < moved < 0.1  # further, and from there


def test_a_quick_autoencoder_is_the_same_one():
    torch.manual_seed(0)
    plain = AutoencoderKLWan(**configs.AUTOENCODER | {"base_dim": 8, "decoder_base_dim": 8})
    for norm in (module for module in plain.modules() if isinstance(module, WanRMS_norm)):
        torch.nn.init.uniform_(norm.gamma, 0.5, 1.5)
    fast, video = replace_norms(deepcopy(plain)), torch.rand(1, 3, 5, 32, 32) * 2 - 1
    assert not any(isinstance(module, WanRMS_norm) for module in fast.modules())
    assert list(fast.state_dict()) == list(plain.state_dict())
    with torch.no_grad():
        latents = [model.encode(video).latent_dist.mode() for model in (plain, fast)]
        restored = [model.decode(latents[0]).sample for model in (plain, fast)]
    torch.testing.assert_close(latents[1], latents[0], atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(restored[1], restored[0], atol=1e-5, rtol=1e-4)


def test_crops_stay_within_the_picture_and_most_hold_an_object():
    middles = torch.tensor([[[10.0, 120.0], [64.0, 64.0]]]).repeat(400, 1, 1)
    tops = choose_crop_corners(middles, side=64, size=128, generator=torch.Generator().manual_seed(0))
    assert tops.min() >= 0
    assert tops.max() <= 64
    held = ((middles >= tops.unsqueeze(1)) & (middles <= tops.unsqueeze(1) + 64)).all(-1).any(-1)
    assert held.float().mean() > 0.7
    assert len(tops.unique(dim=0)) > 100


def test_latents_left_alone_are_not_sampled_again():
    class Nowhere(torch.nn.Module):
        def forward(self, noisy, time, ids, length):
            return torch.ones_like(noisy) * time.view(-1, 1, 1, 1, 1)

    clean, ids = torch.randn(64, 16, 1, 2, 2), torch.ones(64, 4, dtype=torch.long)
    left = _resample_latents(Nowhere(), clean, ids, PolishSettings(clean_share=1.0))
    assert torch.equal(left, clean)
    again = _resample_latents(Nowhere(), clean, ids, PolishSettings(clean_share=0.25))
    assert 0.5 < (again != clean).any(-1).any(-1).any(-1).any(-1).float().mean() < 1


def test_a_session_goes_on_where_it_was_saved(tmp_path):
    first = TimedStage("stage", tmp_path, seconds=0.05)
    for _ in first.run_steps(lambda: {"weights": torch.ones(2)}):
        first.log_figures(1, {"loss": torch.tensor(0.5)})
    second = TimedStage("stage", tmp_path, seconds=100.0)
    parts = second.resume("cpu")
    assert parts is not None
    assert torch.equal(parts["weights"], torch.ones(2))
    assert (second.step, second.log) == (first.step, first.log)
    assert 0 < second.progress < 1


def test_the_rate_rises_then_falls_to_nearly_nothing(tmp_path):
    session = TimedStage("stage", tmp_path, seconds=100.0)
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=torch.tensor(1.0))

    def rate(step: int, spent: float) -> float:
        session.step, session.seconds_spent = step, spent
        set_learning_rate(optimizer, session, peak=2.0, warm_up=10)
        return float(optimizer.param_groups[0]["lr"])

    assert rate(0, 0.0) == pytest.approx(0.2, rel=0.01)
    assert rate(9, 0.0) == pytest.approx(2.0, rel=0.01)
    assert rate(50, 50.0) == pytest.approx(1.0, rel=0.01)
    assert rate(99, 100.0) < 0.01


def test_the_average_follows_the_weights():
    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.fill_(0.0)
    average = WeightAverage(model, decay=0.5)
    model.weight.data.fill_(1.0)
    average.update(step=100)
    average.copy_to_model()
    assert model.weight.item() == pytest.approx(0.5)
