"""What is asked of diffusers: its pipelines' denoisers, its contexts, its hooks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from diffusers.hooks import HookRegistry, ModelHook
from diffusers.hooks.hooks import CacheContext
from tests.integrations.stub import StubEngine
from tests.integrations.toys import ToyModel
from tests.tiny import TINY
from torch import nn

from navicache.integrations import diffusers


def scheduler(steps: int = 10, index: int | None = None) -> Any:
    return SimpleNamespace(timesteps=torch.arange(steps), num_inference_steps=steps, step_index=index, begin_index=None)


def test_without_a_context_the_scheduler_tells() -> None:
    box, around = diffusers.CacheContextReceiver(), SimpleNamespace(scheduler=scheduler(10, 3))
    host = diffusers.describe_call(box, around, None)
    assert (host.stream, host.index, host.total) == (None, 3, 10)


def test_a_context_is_believed_before_the_scheduler_and_the_user_before_both() -> None:
    box, around = diffusers.CacheContextReceiver(), SimpleNamespace(scheduler=scheduler(10, 3))
    box.set_context(CacheContext("uncond", step_index=5, num_inference_steps=20))
    host = diffusers.describe_call(box, around, None)
    assert (host.stream, host.index, host.total) == ("uncond", 5, 20)
    assert diffusers.describe_call(box, around, 30).total == 30
    box.set_context(None)
    assert diffusers.describe_call(box, around, None).index == 3


@pytest.mark.parametrize(("sigma", "told"), [(0.25, 0.25), (0.0, 0.0), (14.6, None), (-1.0, None), (None, None)])
def test_noise_levels_of_another_scale_are_not_taken(sigma: float | None, told: float | None) -> None:
    box = diffusers.CacheContextReceiver()
    box.set_context(CacheContext("cond", sigma=sigma))
    assert diffusers.describe_call(box, None, None).sigma == told


def test_diffusers_knows_what_its_blocks_return() -> None:
    flux, wan = (TINY[name].build().transformer for name in ("flux", "wan"))
    kinds = {type(flux.transformer_blocks[0]): (1, 0)}
    assert diffusers.find_block_output_indices({"transformer_blocks": flux.transformer_blocks}) == kinds
    assert diffusers.find_block_output_indices({"blocks": wan.blocks}) == {}, "no text among what it returns"
    assert diffusers.find_block_output_indices({"own": nn.ModuleList([nn.Identity()])}) == {}, "not one of diffusers'"


def attached(model: ToyModel, engine: StubEngine) -> diffusers.HookAttachment:
    return diffusers.HookAttachment(model, engine, diffusers.CacheContextReceiver())


def call(model: ToyModel) -> torch.Tensor:
    return model(torch.ones(1, 2), torch.ones(1), torch.ones(1, 1))["sample"]


def test_the_hook_is_found_and_leaves_nothing_behind() -> None:
    model, engine = ToyModel(), StubEngine()
    before, plain = set(vars(model)), call(model)
    attachment = attached(model, engine)
    assert diffusers.find_cache_hook(model).engine is engine
    assert torch.equal(call(model), plain) and engine.told == ["attach", "call"]
    attachment.detach()
    assert diffusers.find_cache_hook(model) is None
    assert set(vars(model)) == before
    assert engine.told[2:] == ["detach", ("detached", False)]
    attachment.detach()
    assert engine.told.count("detach") == 1


def test_hooks_of_others_stay() -> None:
    model = ToyModel()
    HookRegistry.check_if_exists_or_initialize(model).register_hook(ModelHook(), "theirs")
    attachment = attached(model, StubEngine())
    assert diffusers.get_outermost_hook_name(model) == diffusers.HOOK_NAME
    attachment.detach()
    assert diffusers.get_outermost_hook_name(model) == "theirs"


def test_a_second_cache_is_refused_before_it_attaches() -> None:
    model, second = ToyModel(), StubEngine()
    attached(model, StubEngine())
    with pytest.raises(ValueError, match="cached already"):
        attached(model, second)
    assert second.told == []


def test_a_finished_pipeline_ends_the_run() -> None:
    model, engine = ToyModel(), StubEngine()
    attached(model, engine)
    HookRegistry.check_if_exists_or_initialize(model).reset_stateful_hooks()
    assert engine.told == ["attach", ("", True)]


def test_the_cache_of_a_lost_handle_is_taken_off_and_none_is_none() -> None:
    model = ToyModel()
    diffusers.detach_cache(model)
    attached(model, StubEngine())
    diffusers.detach_cache(model)
    assert diffusers.find_cache_hook(model) is None


def test_configurations_are_copied_and_may_be_missing() -> None:
    model = ToyModel(width=3)
    assert diffusers.get_model_config(model)["width"] == 3
    assert diffusers.get_model_config(nn.Identity()) == {}
    assert diffusers.is_diffusers_model(model) and not diffusers.is_diffusers_model(nn.Identity())
