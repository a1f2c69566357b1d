"""A bare model is trained for a moment, saved, and measured with all its samplers."""

import json
from functools import partial

import pytest
import torch
from benchmarks.bare import kinds, measure, train
from benchmarks.bare.noise import NoiseKind, list_cosine_betas, list_linear_betas, list_scaled_linear_betas
from benchmarks.bare.samplers import Sampler, list_samplers
from benchmarks.bare.transformer import PixelTransformer

TINY = partial(PixelTransformer, size=8, patch=4, width=16, depth=1)
NOISES = {
    "flow": NoiseKind(),
    "linear": NoiseKind(list_linear_betas),
    "velocity": NoiseKind(list_cosine_betas, predicts_velocity=True),
    "clipped": NoiseKind(list_cosine_betas, clips=True),
}


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # diffusers with numpy 2
@pytest.mark.parametrize("name", NOISES)
def test_every_sampler_finds_the_picture_of_a_model_that_knows_it(name):
    """Of one picture the noise and the velocity are known exactly."""
    noise, picture = NOISES[name], torch.linspace(-0.9, 0.9, 48).view(1, 3, 4, 4)

    def answer(x, time):
        alpha, sigma = noise.mix_at(time.view(1))
        return noise.build_target(picture, (x - alpha * picture) / sigma, (alpha, sigma))

    start = torch.randn(1, 3, 4, 4, generator=torch.Generator().manual_seed(3))
    for sampler in list_samplers(noise, 2.0):
        found = sampler.sample(noise, answer, start, 10)
        assert (found - picture).abs().max() < 0.02, sampler


def test_true_levels_fall_from_noise_to_the_picture():
    for kind in NOISES.values():
        for sampler in list_samplers(kind, 1.0):
            levels = sampler.list_levels(kind, 50)
            assert len(levels) == 51 and levels[0] > 0.9 and levels[-1] == 0
            assert levels == sorted(levels, reverse=True)
    assert Sampler("euler", 3.0).list_levels(NoiseKind(), 2) == pytest.approx([1, 0.75, 0])


def test_betas_are_the_published_ones():
    kept = [(1 - list_betas()).prod().item() for list_betas in (list_linear_betas, list_scaled_linear_betas)]
    assert kept == pytest.approx([4.0e-5, 4.7e-3], rel=0.02)  # of DDPM and of Stable Diffusion
    assert list_cosine_betas().max() == 0.999


def test_a_model_is_trained_saved_and_measured(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(kinds.KINDS, "tiny", kinds.BareKind(NoiseKind(list_linear_betas), 8, TINY, 1.0, batch=4))
    monkeypatch.setattr(measure, "list_samplers", lambda noise, guidance: [Sampler("ddim", guidance=2.0)])
    path, out = tmp_path / "tiny.pt", tmp_path / "table.json"
    options = ["--seconds", "0.1", "--pictures", "8", "--device", "cpu"]
    assert train.main(["--kind", "tiny", "--out", str(path), *options]) == 0
    shown = ["--noises", "2", "--counts", "17", "--only-speedup", "--device", "cpu"]
    assert measure.main([str(path), *shown, "--out", str(out)]) == 0
    (rows,) = json.loads(out.read_text()).values()
    count, psnr = rows["speed-up"]["17"]
    assert count == 17 and psnr > 20
    assert f"| tiny, ddim, guidance 2 | speed-up | {psnr:.1f} |" in capsys.readouterr().out


def test_lists_in_hindsight_have_the_count():
    found = measure.list_hindsight(Sampler("ddim").list_levels(NOISES["linear"], 50), 17)
    assert len(found) > 25
    assert {len(steps) for steps in found.values()} == {17}


@pytest.mark.parametrize("name", kinds.KINDS)
def test_every_kind_answers_with_a_picture(name):
    kind = kinds.KINDS[name]
    x, label = torch.zeros(1, 3, kind.size, kind.size), torch.tensor([7])
    with torch.no_grad():
        answer = kind.build()(x, kind.noise.draw_times(1, torch.Generator().manual_seed(0)), label)
    assert answer.shape == x.shape
