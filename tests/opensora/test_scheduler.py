"""The scheduler against the published code, and its conventions."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opensora.common import tensors, worst

from navicache_opensora import RectifiedFlowScheduler

SIZE = {"height": 480, "width": 854, "num_frames": 51}


@pytest.mark.parametrize("name", sorted(tensors("rflow_timesteps")))
def test_timesteps(name: str) -> None:
    steps, size, frames, dtype = name.split("_")
    height, width = map(int, size.split("x"))
    scheduler = RectifiedFlowScheduler()
    scheduler.set_timesteps(
        int(steps.removesuffix("steps")),
        height=height,
        width=width,
        num_frames=int(frames.removesuffix("f")),
        size_dtype={"fp32": torch.float32, "bf16": torch.bfloat16}[dtype],
    )
    assert worst(scheduler.timesteps, tensors("rflow_timesteps")[name]) < 1e-3


def test_add_noise() -> None:
    case = tensors("rflow_add_noise")
    found = RectifiedFlowScheduler().add_noise(case["x0"], case["noise"], case["t"])
    assert worst(found, case["out"]) < 1e-6


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(16, 2000),
    st.integers(16, 2000),
    st.one_of(st.just(1), st.integers(17, 900)),
    st.booleans(),
)
def test_steps_fall_and_their_lengths_add_up(steps: int, height: int, width: int, frames: int, whole: bool) -> None:
    scheduler = RectifiedFlowScheduler(use_discrete_timesteps=whole)
    scheduler.set_timesteps(steps, height=height, width=width, num_frames=frames)
    times = scheduler.timesteps
    assert len(times) == steps == scheduler.num_inference_steps
    assert abs(times[0].item() - 1000) < 0.1
    assert (times.diff() < 0).all() and times[-1] > 0
    sample = torch.zeros(1, dtype=torch.float64)
    for time in times:
        sample = scheduler.step(torch.ones(1), time, sample).prev_sample
    assert abs(sample.item() - times[0].item() / 1000) < 1e-5


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 20))
def test_the_true_line_leads_from_noise_to_the_video(steps: int) -> None:
    generator = torch.Generator().manual_seed(steps)
    clean, noise = torch.randn(2, 4, generator=generator), torch.randn(2, 4, generator=generator)
    scheduler = RectifiedFlowScheduler()
    scheduler.set_timesteps(steps, **SIZE)
    sample = noise
    for time in scheduler.timesteps:
        assert worst(sample, scheduler.add_noise(clean, noise, time.expand(2))) < 1e-5
        sample = scheduler.step(clean - noise, time, sample, return_dict=False)[0]
    assert worst(sample, clean) < 1e-5


def test_without_the_transform_no_size_is_needed() -> None:
    scheduler = RectifiedFlowScheduler(use_timestep_transform=False)
    scheduler.set_timesteps(4)
    assert scheduler.timesteps.tolist() == [1000, 750, 500, 250]
    assert scheduler.sigmas.tolist() == [1, 0.75, 0.5, 0.25, 0]


def test_rounding_comes_before_the_transform() -> None:
    plain = RectifiedFlowScheduler(use_timestep_transform=False, use_discrete_timesteps=True)
    plain.set_timesteps(3)
    assert plain.timesteps.tolist() == [1000, 667, 333]


def test_small_images_in_bfloat16_start_off_1000() -> None:
    scheduler = RectifiedFlowScheduler()
    scheduler.set_timesteps(30, height=133, width=277, num_frames=1, size_dtype=torch.bfloat16)
    assert 0.5 < abs(scheduler.timesteps[0].item() - 1000) < 6


def test_the_index_moves_as_in_diffusers() -> None:
    scheduler = RectifiedFlowScheduler()
    with pytest.raises(ValueError, match="call set_timesteps"):
        scheduler.step(torch.ones(1), 1000.0, torch.ones(1))
    scheduler.set_timesteps(4, **SIZE)
    assert scheduler.step_index is None
    scheduler.step(torch.ones(1), scheduler.timesteps[2], torch.ones(1))
    assert scheduler.step_index == 3
    scheduler.set_timesteps(4, **SIZE)
    scheduler.set_begin_index(1)
    scheduler.step(torch.ones(1), scheduler.timesteps[0], torch.ones(1))
    assert scheduler.step_index == 2


@pytest.mark.parametrize("frames", [0, 2, 9, 16])
def test_lengths_that_break_the_transform_are_refused(frames: int) -> None:
    with pytest.raises(ValueError, match=f"at least 17, got {frames}"):
        RectifiedFlowScheduler().set_timesteps(4, height=480, width=854, num_frames=frames)


def test_bad_settings() -> None:
    with pytest.raises(ValueError, match="needs height, width and num_frames"):
        RectifiedFlowScheduler().set_timesteps(4)
    with pytest.raises(ValueError, match="1 or more, got 0"):
        RectifiedFlowScheduler().set_timesteps(0, **SIZE)


def test_round_trip(tmp_path) -> None:
    RectifiedFlowScheduler(use_discrete_timesteps=True).save_pretrained(tmp_path)
    assert RectifiedFlowScheduler.from_pretrained(tmp_path).config["use_discrete_timesteps"]
