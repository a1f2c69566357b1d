"""A settings file on small real pipelines: scheduler, guidance and configuration decide whether a run fits."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.integrations.common import STEPS
from tests.support.tuned import tuned, tuned_file
from tests.tiny import TINY

import navicache
from navicache.diffusers import NaviCacheConfig, cache_of, register, unregister
from navicache.engine import CallFacts
from navicache.integrations.scheduler import read_noise_levels
from navicache.integrations.tuned_runs import MAX_WARNINGS, RunSampling, TunedRuns, describe_sampling
from navicache.models import find_model

FITTING = (0, 1, 2, 8)


def measured(name: str, folder: Path) -> tuple[Any, Path]:
    """A pipeline, and a settings file for its own run."""
    pipe = TINY[name].build()
    TINY[name].call(pipe, steps=STEPS)
    sampling = describe_sampling(pipe)
    levels = read_noise_levels(pipe.scheduler)
    assert sampling.scheduler and sampling.guidance is not None and levels is not None
    run = {"steps": STEPS, "scheduler": sampling.scheduler, "guidance": sampling.guidance, "noise_levels": levels}
    return pipe, tuned_file(folder, type(pipe.transformer).__name__, dict(pipe.transformer.config), **run)


@pytest.mark.parametrize("name", ["wan", "wan22", "hunyuan", "ltx", "flux", "cogvideox"])
def test_the_measured_run_fits_and_another_is_told(name, tmp_path, caplog):
    pipe, path = measured(name, tmp_path)
    with navicache.enable(pipe, settings=path) as cache, caplog.at_level(logging.WARNING, "navicache"):
        TINY[name].call(pipe, steps=STEPS)
        assert not caplog.records
        assert {run.policy for run in cache.trace.runs} == {"schedule"}
        assert not any("settings" in note for run in cache.trace.runs for note in run.notes)
        first = len(cache.trace.runs)
        TINY[name].call(pipe, steps=STEPS, guidance_scale=2.5)
        departed = cache.trace.runs[1:] if first == 1 else cache.trace.runs[1::2]
        assert {run.policy for run in departed} == {"inertial"}
        assert all("guidance 2.5, not" in run.notes[0] for run in departed)
        assert len(caplog.records) == 1  # also of two experts
        TINY[name].call(pipe, steps=STEPS)
        assert cache.trace.runs[-1].policy == "schedule"


def test_the_steps_are_those_of_the_file(tmp_path):
    pipe, path = measured("wan", tmp_path)
    with navicache.enable(pipe, settings=path) as cache:
        latents = TINY["wan"].call(pipe, steps=STEPS)
    assert cache.trace.runs[0].computed_steps() == FITTING
    with navicache.enable(pipe, "schedule", at=FITTING):
        assert torch.equal(latents, TINY["wan"].call(pipe, steps=STEPS))


def test_another_configuration_is_refused(tmp_path):
    _, path = measured("wan", tmp_path)
    other = TINY["wan"].build(layers=3)
    for target in (other, other.transformer):
        with pytest.raises(ValueError, match=r"another WanTransformer3DModel \(num_layers differ\): tune this one too"):
            navicache.enable(target, settings=path)
        assert "_diffusers_hook" not in vars(other.transformer)


def test_another_seed_of_the_same_model_fits_and_a_compiled_one_too(tmp_path):
    _, path = measured("wan", tmp_path)
    pipe = TINY["wan"].build(seed=5)
    pipe.transformer = torch.compile(pipe.transformer, backend="eager")
    navicache.enable(pipe, settings=path).disable()


def test_guidance_is_read_where_a_pipeline_keeps_it():
    assert describe_sampling(None) == RunSampling()
    assert describe_sampling(TINY["wan"].build()).guidance is None  # before its first call
    modular = SimpleNamespace(scheduler=None, guider=SimpleNamespace(guidance_scale=7))
    assert describe_sampling(modular) == RunSampling(guidance=7.0)


def test_a_server_is_not_warned_for_ever(caplog):
    runs = TunedRuns(tuned("Toy"), None, find_model(""))
    for steps in range(100, 200):
        assert f"{steps} steps, not 16" in runs.explain_departure(RunSampling, CallFacts(total=steps))
    assert len(caplog.records) == MAX_WARNINGS


def test_diffusers_own_door_takes_it(tmp_path):
    pipe, path = measured("wan", tmp_path)
    register()
    try:
        pipe.transformer.enable_cache(NaviCacheConfig(settings=str(path)))
        cache = cache_of(pipe.transformer)
        TINY["wan"].call(pipe, steps=STEPS)
    finally:
        unregister()
    assert cache.trace.runs[0].policy == "schedule"
