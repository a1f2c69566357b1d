"""Noise levels of diffusers' schedulers: one before each step, falling, and 0 at the end."""

import itertools

import diffusers
import pytest
import torch

from navicache.integrations.scheduler import read_noise_levels
from navicache_opensora import RectifiedFlowScheduler

FLOW = {"prediction_type": "flow_prediction", "use_flow_sigmas": True}
SCHEDULERS = {
    "DDIM": lambda: diffusers.DDIMScheduler(timestep_spacing="leading"),
    "DDIM, zero SNR": lambda: diffusers.CogVideoXDDIMScheduler(
        rescale_betas_zero_snr=True, timestep_spacing="trailing"
    ),
    "DPM++, karras": lambda: diffusers.DPMSolverMultistepScheduler(use_karras_sigmas=True),
    "DPM++, flow": lambda: diffusers.DPMSolverMultistepScheduler(**FLOW, flow_shift=5.0),
    "UniPC, flow": lambda: diffusers.UniPCMultistepScheduler(**FLOW, flow_shift=5.0),
    "Euler": lambda: diffusers.EulerDiscreteScheduler(),
    "Heun": lambda: diffusers.HeunDiscreteScheduler(),
    "EDM": lambda: diffusers.EDMEulerScheduler(),
    "flow": lambda: diffusers.FlowMatchEulerDiscreteScheduler(shift=5.0),
    "flow, inverted": lambda: diffusers.FlowMatchEulerDiscreteScheduler(shift=5.0, invert_sigmas=True),
}


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of diffusers, in numpy's name
@pytest.mark.parametrize("name", SCHEDULERS)
def test_levels_fall_from_noise_to_clean(name):
    scheduler = SCHEDULERS[name]()
    scheduler.set_timesteps(20)
    levels = read_noise_levels(scheduler)
    assert levels is not None
    assert len(levels) == len(scheduler.timesteps) + 1
    assert levels[0] > 0.85
    assert levels[-1] == 0
    assert all(0 <= later <= earlier <= 1 for earlier, later in itertools.pairwise(levels))


def test_the_level_is_the_share_of_noise():
    """DDIM at t = 500: alpha and sigma of the scheduler itself."""
    scheduler = diffusers.DDIMScheduler()
    scheduler.set_timesteps(2)
    square = scheduler.alphas_cumprod[scheduler.timesteps]
    expected = (1 - square).sqrt() / (square.sqrt() + (1 - square).sqrt())
    torch.testing.assert_close(torch.tensor(read_noise_levels(scheduler)[:-1]), expected)


def test_a_run_that_begins_late_has_its_own_levels():
    scheduler = diffusers.FlowMatchEulerDiscreteScheduler()
    scheduler.set_timesteps(10)
    scheduler.set_begin_index(6)
    assert len(read_noise_levels(scheduler)) == 5


@pytest.mark.parametrize("scheduler", [None, object(), diffusers.DDIMScheduler()])
def test_a_scheduler_that_is_not_set_up_tells_nothing(scheduler):
    assert read_noise_levels(scheduler) is None


def test_a_first_level_just_above_one_is_rounding_and_the_run_is_a_flow():
    """A shift worked out in float32 gave 1000.0001 of 1000."""
    scheduler = RectifiedFlowScheduler(use_timestep_transform=True)
    scheduler.set_timesteps(50, height=64, width=64, num_frames=17)
    assert max(scheduler.sigmas) > 1
    levels = read_noise_levels(scheduler)
    assert levels[:2] == pytest.approx((1.0, 0.932), abs=1e-3)
    assert max(levels) == 1
