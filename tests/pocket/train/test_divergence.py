"""A training whose figures are no numbers ends at once, says so, and keeps what was saved."""

import math

import pytest
import torch

from navicache_pocket.train import timed_stage
from navicache_pocket.train.timed_stage import TimedStage, TrainingDiverged
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop


class Toy(torch.nn.Module):
    """The loss of its weights, spoilt from a step on: forwards, or only backwards."""

    def __init__(self, spoilt_from, spoilt="loss", value=math.nan):
        super().__init__()
        self.matrix, self.bias = torch.nn.Parameter(torch.eye(8)), torch.nn.Parameter(torch.zeros(8))
        self.steps, self.spoilt_from, self.spoilt, self.value = 0, spoilt_from, spoilt, value

    def compute_loss(self):
        loss = (self.matrix + self.bias).square().sum()
        if self.steps == self.spoilt_from:
            if self.spoilt == "loss":
                loss = loss * self.value
            else:
                self.matrix.register_hook(lambda slope: slope * self.value)
        self.steps += 1
        return {"loss": loss}


def train(toy, folder, seconds=60.0, log_every=100):
    stage = TimedStage("toy", folder, seconds)
    settings = LoopSettings(log_every=log_every)
    run_training_loop(stage, toy, [toy.matrix], toy.compute_loss, settings)
    return stage


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize(("spoilt_from", "seen"), [(0, 0), (3, 20), (21, 30)])
def test_it_ends_when_figures_are_read(spoilt_from, seen, value, tmp_path):
    """At every thirtieth step here, and once at step 20."""
    toy = Toy(spoilt_from, value=value)
    with pytest.raises(TrainingDiverged, match=rf"toy: loss.* not finite at step {seen}; .*no state .*learning rates"):
        train(toy, tmp_path, log_every=30)
    assert toy.steps == seen + 1 and not list(tmp_path.iterdir())


def test_a_gradient_is_seen_as_well(tmp_path):
    toy = Toy(20, "gradient")
    with pytest.raises(TrainingDiverged, match="toy: the gradient's norm not finite at step 20;"):
        train(toy, tmp_path)


def test_the_state_of_before_is_kept(tmp_path, monkeypatch):
    """A NaN between two readings is found before the state is written over."""
    train(Toy(None), tmp_path, seconds=0.05)
    before = (tmp_path / "toy.pt").read_bytes()
    monkeypatch.setattr(timed_stage, "SAVE_INTERVAL", 0.05)
    monkeypatch.setattr(timed_stage, "EARLY_STEP", -1)
    with pytest.raises(TrainingDiverged, match=r"toy\.pt is from before"):
        train(Toy(1), tmp_path, log_every=1_000_000_000)
    assert (tmp_path / "toy.pt").read_bytes() == before
