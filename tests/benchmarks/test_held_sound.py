"""Held against predicted sound: what is held, and what the leads are."""

import pytest
import torch
from benchmarks.quality.held_sound import SCORES, hold_sound, summarise


class Joint(torch.nn.Module):
    """Video and sound that grow with each call; a reused call leaves the last layer out, as a cache does."""

    def __init__(self):
        super().__init__()
        self.audio_proj_out = torch.nn.Identity()

    def forward(self, value, reused=False):
        sound = torch.tensor(10.0 * value)
        return torch.tensor(float(value)), sound if reused else self.audio_proj_out(sound)


def test_the_sound_of_reused_steps_is_that_of_the_last_computed_one():
    model = Joint()
    with hold_sound(model):
        calls = [model(step, reused) for step, reused in enumerate((False, True, True, False, True))]
    assert [video.item() for video, _ in calls] == [0, 1, 2, 3, 4]
    assert [sound.item() for _, sound in calls] == [0, 0, 0, 30, 30]
    assert model(5, True)[1].item() == 50, "no hook is left"


def test_leads_are_taken_caption_by_caption():
    def row(way, snr):
        return {"speedup": 2.0, "way": way, "computed": 25, **dict.fromkeys(SCORES, 1.0), "audio_snr": snr}

    rows = [row("predicted", 30.0), row("held", 20.0), row("predicted", 10.0), row("held", 4.0)]
    predicted, held, lead = summarise(rows)
    assert (predicted["way"], held["way"], lead["way"]) == ("predicted", "held", "lead")
    assert predicted["audio_snr"]["mean"] == 20 and held["audio_snr"]["mean"] == 12
    assert lead["audio_snr"]["mean"] == pytest.approx(8) and lead["audio_snr"]["low"] == pytest.approx(6)
