"""A second latent with times of its own, such as sound beside a video: steps are found by whichever moves."""

import inspect

import pytest
import torch
from tests.engine.toys.engines import engine_for

from navicache.engine.tensors.device_readings import DeviceReading, create_time_reading, fetch_readings, get_moving_time
from navicache.engine.tensors.device_readings import compute_time_change as change
from navicache.engine.tracking.model_call import CallReader
from navicache.models import CallSpec
from navicache.policies import Inertial

STEPS = 16


def joint(hidden_states, audio_hidden_states, timestep, audio_timestep=None):
    return 0.9 * hidden_states, 0.8 * audio_hidden_states


def packed(hidden_states, audio_hidden_states, timestep):
    return 0.9 * hidden_states, 0.8 * audio_hidden_states


def moving(i: int) -> torch.Tensor:
    return torch.full((1, 3, 2), float(STEPS - i))


STILL = torch.ones(1, 3, 2)
NOW = {  # what the model is called with at a step
    "sound frozen": (joint, lambda i: (moving(i), STILL, torch.full((1,), 1 - i / STEPS), torch.zeros(1))),
    "video frozen": (joint, lambda i: (STILL, moving(i), torch.zeros(1, 5), torch.full((1,), 1 - i / STEPS))),
    "one list of times": (joint, lambda i: (STILL, moving(i), [torch.zeros(1), torch.full((1,), 1 - i / STEPS)])),
    "frozen at a clean 1": (packed, lambda i: (moving(i), STILL, torch.tensor([i / STEPS, 1.0]))),
    "video frozen at a clean 1": (packed, lambda i: (STILL, moving(i), torch.tensor([i / STEPS, 1.0]))),
}


@pytest.mark.parametrize("name", NOW)
def test_every_step_is_found_and_two_generations_are_told_apart(name):
    model, arguments = NOW[name]
    cached = engine_for(model, Inertial(threshold=0.3))
    for _ in range(2):
        for i in range(STEPS):
            cached(*arguments(i))
    runs = cached.engine.trace.runs
    assert [run.length for run in runs] == [STEPS] * 2
    assert runs[0].streams == ("0",)
    expected = [i / STEPS if "clean" in name else 1 - i / STEPS for i in range(STEPS)]
    assert runs[1].column("time")[1:] == pytest.approx(expected[1:])


@pytest.mark.parametrize(
    ("times", "count"),
    [({"timestep": [torch.zeros(1), 0.5]}, 2), ({"timestep": 0.5, "audio_timestep": STILL[0, 0]}, 3)],
)
def test_times_from_several_places_meet_on_the_latents_device(times, count):
    reader = CallReader(CallSpec(), inspect.signature(joint))
    time = reader.read_call((), {"hidden_states": STILL.to("meta"), "audio_hidden_states": STILL, **times}).time
    assert (time.device.type, len(time)) == ("meta", count)


def reading(*times: float) -> DeviceReading:
    made = create_time_reading(torch.tensor(times))
    fetch_readings([made])
    return made


def test_the_moving_time_is_the_largest_unless_that_stays():
    assert get_moving_time(reading(0.0, 7.0), reading(0.0, 9.0)) == 7
    assert get_moving_time(reading(0.2, 1.0), reading(0.0, 1.0)) == pytest.approx(0.2)
    assert get_moving_time(reading(9.0), reading(9.0)) == 9
    assert get_moving_time(reading(0.5, 1.0), None) == 1
    assert get_moving_time(None, reading(1.0)) is None
    assert change(reading(0.25, 1.0), reading(0.0, 1.0)) == 0.125
    assert change(reading(3.0), reading(5.0)) == -2
    assert change(None, reading(5.0)) is None
