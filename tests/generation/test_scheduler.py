"""A flow shift goes to the scheduler that has one, and to no other."""

import json

import pytest
from diffusers import (
    DDIMScheduler,
    DPMSolverMultistepScheduler,
    FlowMatchEulerDiscreteScheduler,
    UniPCMultistepScheduler,
)
from tests.cli.common import SMALL, STATIC
from tests.support.commands import refused

from navicache import Trace
from navicache.cli import main
from navicache.generation.job import ModelSource
from navicache.generation.loading import load_pipeline
from navicache.generation.scheduler import load_shifted_scheduler, set_flow_shift

FLOW = {"prediction_type": "flow_prediction", "use_flow_sigmas": True}


@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # DPM++ with a new numpy
@pytest.mark.parametrize(
    ("scheduler", "option"),
    [
        (UniPCMultistepScheduler(**FLOW, flow_shift=3.0), "flow_shift"),
        (DPMSolverMultistepScheduler(**FLOW), "flow_shift"),
        (FlowMatchEulerDiscreteScheduler(shift=3.0), "shift"),
    ],
)
def test_the_shift_moves_the_steps(scheduler, option):
    other = set_flow_shift(scheduler, 5.0)
    assert type(other) is type(scheduler) and other is not scheduler
    assert other.config[option] == 5.0 != scheduler.config[option]
    for each in (scheduler, other):
        each.set_timesteps(4)
    assert all(other.sigmas[1:3] > scheduler.sigmas[1:3]), "more of them in the noise"


@pytest.mark.parametrize(
    ("scheduler", "said"),
    [
        (DDIMScheduler(), "DDIMScheduler has no flow shift"),
        (UniPCMultistepScheduler(), "UniPCMultistepScheduler does not read its shift here"),
        (FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True), "takes its shift from the size of the picture"),
    ],
)
def test_a_scheduler_that_would_not_read_it_is_refused(scheduler, said):
    with pytest.raises(ValueError, match=said):
        set_flow_shift(scheduler, 5.0)


def test_our_own_scheduler_of_opensora_has_none(tmp_path):
    index = {"_class_name": "OpenSoraPipeline", "scheduler": ["navicache", "RectifiedFlowScheduler"]}
    with pytest.raises(ValueError, match="its scheduler is RectifiedFlowScheduler"):
        load_shifted_scheduler(tmp_path, index, 5.0)
    with pytest.raises(ValueError, match="it has no scheduler"):
        load_shifted_scheduler(tmp_path, {"_class_name": "Other"}, 5.0)


def test_a_pipeline_is_loaded_with_it(wan_folder):
    plain, other = (
        load_pipeline(ModelSource(str(wan_folder), device="cpu", shift=shift)).scheduler for shift in (None, 7.0)
    )
    assert other.config.flow_shift == 7.0 != plain.config.flow_shift
    unchanged = {name: value for name, value in plain.config.items() if name != "flow_shift"}
    assert {name: other.config[name] for name in unchanged} == unchanged


def test_generate_uses_it_and_says_so(tmp_path):
    options = ["generate", *SMALL, *STATIC, "--shift", "7", "--compare", "--out", str(tmp_path)]
    assert main(options) == 0
    assert json.loads((tmp_path / "metrics.json").read_text())["shift"] == 7.0
    sigmas = [step.sigma for step in Trace.load(tmp_path / "trace.json").runs[0].leading]
    assert sigmas[4] == pytest.approx(7 * 0.5 / (1 + 6 * 0.5), abs=0.01), "half way, shifted"


def test_no_weights_are_read_where_it_is_refused(image_folder, tmp_path, capsys, monkeypatch):
    scheduler = json.loads((image_folder / "scheduler" / "scheduler_config.json").read_text())
    folder = tmp_path / "model"
    (folder / "scheduler").mkdir(parents=True)  # and nothing else: weights would be missed
    dynamic = {**scheduler, "use_dynamic_shifting": True}
    (folder / "scheduler" / "scheduler_config.json").write_text(json.dumps(dynamic))
    (folder / "model_index.json").write_text((image_folder / "model_index.json").read_text())
    options = ["--model", folder, "--prompt", "a cat", "--shift", "2", "--out", tmp_path / "out"]
    assert "takes its shift from the size of the picture" in refused(capsys, "generate", *options)
