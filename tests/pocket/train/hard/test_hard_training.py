"""How `flux` and `ltx` are trained: what is read, what is turned, and which gradients there are."""

import pytest
import torch
from tests.pocket.train.hard.toys import SMALL, make_pool, shake

from navicache_pocket.train.hard import catalog, training
from navicache_pocket.train.hard.smooth_time import ignore_fast_waves, list_slow_waves
from navicache_pocket.train.hard.training import (
    HardTraining,
    list_turned_weights,
    measure_velocity_error,
    train_denoiser,
)
from navicache_pocket.train.muon import make_optimizers


@pytest.fixture(params=catalog.RECIPES)
def name(request):
    return request.param


def test_fast_waves_stay_unread(name):
    torch.manual_seed(0)
    recipe = SMALL[name]
    model = shake(recipe.make_denoiser())
    embedder = recipe.get_time_embedder(model)
    ignore_fast_waves(embedder)
    measure_velocity_error(model, make_pool(name), HardTraining(batch=2)).backward()
    slow, weight = list_slow_waves(256), embedder.linear_1.weight
    assert 0 < slow.sum() < 256
    for values in (weight.detach(), weight.grad):
        assert (values[:, ~slow] == 0).all() and (values[:, slow] != 0).any()


@pytest.mark.filterwarnings("ignore:Mismatch dtype between input and weight")
def test_the_first_steps_under_bfloat16_have_finite_gradients_everywhere(name, monkeypatch):
    monkeypatch.setattr(training, "autocast_on_gpu", lambda like: torch.autocast("cpu", dtype=torch.bfloat16))
    torch.manual_seed(0)
    model, settings = SMALL[name].make_denoiser().train(), HardTraining(batch=2)
    optimizers = make_optimizers(model, list_turned_weights(model.transformer), 1e-3, 1e-3, 0.98, 0.01)
    pool = make_pool(name)
    for _ in range(4):
        model.zero_grad()
        measure_velocity_error(model, pool, settings).backward()
        for optimizer in optimizers.values():
            optimizer.step()
    weights = {key: weight.grad for key, weight in model.named_parameters() if weight.grad is not None}
    assert all(slope.isfinite().all() for slope in weights.values())
    still = [key for key, slope in weights.items() if "transformer" in key and "to_" in key and not slope.any()]
    assert not still, "every attention learns from the second step on"


def test_muon_turns_no_modulation(name):
    model = catalog.RECIPES[name].make_denoiser().transformer
    turned = {id(weight) for weight in list_turned_weights(model)}
    names = [key for key, weight in model.named_parameters() if id(weight) in turned]
    assert any("to_q" in key for key in names) and not any("norm" in key for key in names)


def test_the_attention_of_cudnn_is_off_while_it_trains(name, monkeypatch):
    found = []
    monkeypatch.setattr(
        training, "run_training_loop", lambda *given: found.append(torch.backends.cuda.cudnn_sdp_enabled())
    )
    train_denoiser(None, SMALL[name], make_pool(name), HardTraining())
    assert found == [False] and torch.backends.cuda.cudnn_sdp_enabled()
