"""Every plan under plans/ is run dry: listed, its calls held against the pipelines', its policies built."""

import inspect
from pathlib import Path
from types import SimpleNamespace

import diffusers
import numpy as np
import pytest

from navicache.cli import main
from navicache.cli.bench.plan_setup import add_embedded_calls
from navicache.evaluation.bench.jobs import EVERY_STEP, expand_plan
from navicache.evaluation.bench.plan import NO_CACHE
from navicache.evaluation.bench.plan_file import read_plan
from navicache.generation.index_checks import find_pipeline_class
from navicache.generation.job import ModelSource, check_call_arguments
from navicache.generation.loading import locate_model, read_model_index
from navicache.generation.scheduler import set_flow_shift
from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import find_model_by_name
from navicache_opensora import OpenSoraPipeline, RectifiedFlowScheduler

PLANS = Path(__file__).parents[3] / "plans"
ALL = sorted(PLANS.rglob("*.toml"))
LARGE = sorted(PLANS.glob("*.toml"))
FLOW = {"prediction_type": "flow_prediction", "use_flow_sigmas": True}
WAN = diffusers.UniPCMultistepScheduler(**FLOW, flow_shift=3.0)
# Model of a plan -> its class, its scheduler, and how it is known here: what its repository would tell.
STAND_INS = {
    "Wan-AI/Wan2.1-T2V-1.3B-Diffusers": (diffusers.WanPipeline, WAN, "Wan 2.1 T2V-1.3B"),
    "Wan-AI/Wan2.1-I2V-14B-480P-Diffusers": (diffusers.WanImageToVideoPipeline, WAN, "Wan 2.1 I2V-14B"),
    "Wan-AI/Wan2.1-I2V-14B-720P-Diffusers": (diffusers.WanImageToVideoPipeline, WAN, "Wan 2.1 I2V-14B"),
    "Wan-AI/Wan2.2-TI2V-5B-Diffusers": (diffusers.WanPipeline, WAN, "Wan 2.2 TI2V-5B"),
    "hunyuanvideo-community/HunyuanVideo": (
        diffusers.HunyuanVideoPipeline,
        diffusers.FlowMatchEulerDiscreteScheduler(shift=7.0),
        "HunyuanVideo",
    ),
    "opensora-1.2": (OpenSoraPipeline, RectifiedFlowScheduler(), "Open-Sora 1.2"),
}


def named(path):
    return f"{path.parent.name}/{path.stem}"


def pipeline_of(model):
    """The class of a plan's model: of its index where it is embedded, of the table where it is not here."""
    if ModelSource(model.model).is_embedded:
        return find_pipeline_class(read_model_index(locate_model(ModelSource(model.model))))
    return STAND_INS[model.model][0]


def check_calls(plan):
    """Refuse a call that a pipeline of the plan would refuse."""
    for group in expand_plan(add_embedded_calls(plan), ["a prompt"]):
        for (job,) in group:
            check_call_arguments(pipeline_of(job.model), job.arguments)


@pytest.mark.parametrize("path", ALL, ids=named)
def test_it_is_listed(path, monkeypatch, capsys):
    prompts = [f"prompt {number}" for number in range(944)]
    monkeypatch.setattr("navicache.evaluation.bench.prompts.vbench_prompts", lambda dimensions: prompts)
    disk = "navicache.cli.bench.disk_space.shutil.disk_usage"
    monkeypatch.setattr(disk, lambda path: SimpleNamespace(free=2**50))  # a large plan wants more than a test has
    elsewhere = ["--ray-address", "elsewhere"]  # where the models are: here they are not looked for
    assert main(["bench", str(path), "--list", "--prompts", "1", "--accuracy", "1", *elsewhere]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last.split()[1:4] == ["jobs", "in", last.split()[3]] and int(last.split()[0]) > 1


@pytest.mark.parametrize("path", LARGE, ids=named)
def test_its_pipelines_take_its_calls(path):
    check_calls(read_plan(path))


def test_a_wrong_argument_would_be_found(tmp_path):
    text = (PLANS / "table1.toml").read_text(encoding="utf-8")
    (tmp_path / "plan.toml").write_text(text.replace("resolution =", "resolutoin ="), encoding="utf-8")
    with pytest.raises(ValueError, match="OpenSoraPipeline takes no resolutoin"):
        check_calls(read_plan(tmp_path / "plan.toml"))


@pytest.mark.parametrize("path", LARGE, ids=named)
def test_its_policies_can_be_built_on_its_models(path):
    plan = read_plan(path)
    for model in plan.models:
        spec = find_model_by_name(STAND_INS[model.model][2])
        for setting in (EVERY_STEP, *plan.settings_of(model)):
            if setting.policy != NO_CACHE:
                assert choose_policy(
                    CacheOptions(setting.policy, setting.mode, knobs=dict(setting.knobs)), spec
                ).schemes()


@pytest.mark.parametrize("path", LARGE, ids=named)
@pytest.mark.filterwarnings("ignore:__array__:DeprecationWarning")  # DPM++ with a new numpy
def test_its_schedulers_take_their_options_and_plan_the_steps(path):
    plan = read_plan(path)
    for model in plan.models:
        kind, own, _ = STAND_INS[model.model]
        own = own if model.shift is None else set_flow_shift(own, model.shift)
        for condition in (part for part in plan.conditions_of(model) if part.scheduler):
            scheduler = getattr(diffusers, condition.scheduler)
            assert condition.scheduler_options.keys() <= inspect.signature(scheduler).parameters.keys()
            made = scheduler.from_config(own.config, **condition.scheduler_options)
            # HunyuanVideo's pipeline hands its sigmas over, Wan's the number of steps
            hands_over = kind is diffusers.HunyuanVideoPipeline
            steps = {"sigmas": np.linspace(1.0, 0.25, 4)} if hands_over else {"num_inference_steps": 4}
            made.set_timesteps(**steps)
            assert len(made.timesteps) == 4 and set_flow_shift(made, model.shift).config == made.config
