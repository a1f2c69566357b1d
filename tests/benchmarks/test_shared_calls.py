"""Settings that share a call must have the rows that they have in a call of their own."""

import functools
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.quality.rows_apart import tell_rows_apart
from benchmarks.quality.sample_gates import SampleGates, SharedCall
from benchmarks.quality.shared_calls import SharedCallWorker, find_denoiser, find_sharing_key, share_calls
from tests.tiny import TINY

from navicache import enable
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import expand_plan
from navicache.evaluation.bench.plan import BenchPlan, PlanModel, PlanPrompts, PlanSetting
from navicache.evaluation.bench.plan_file import read_plan
from navicache.pocket.members import MEMBERS
from navicache.policies import Step, build_policy
from navicache.records import Trace, split_by_sample

SETTINGS = (
    PlanSetting("list", "schedule", knobs={"at": [0, 1, 3, 5]}),
    PlanSetting("other list", "schedule", knobs={"at": [0, 1, 2, 3, 5]}),
    PlanSetting("low", "navicache", knobs={"threshold": 0.02, "align_steps": 2}),
    PlanSetting("high", "navicache", knobs={"threshold": 2.0, "align_steps": 2}),
    PlanSetting("l2p half", "l2p", series="l2p", knobs={"speedup": 2.0}, calibrate=("a ball",)),
    PlanSetting("l2p most", "l2p", series="l2p", knobs={"speedup": 1.5}, calibrate=("a ball",)),
    PlanSetting("fewer steps", "none", share=0.5),
)
share_all = functools.partial(share_calls, row_limit=64)
METRICS = ("psnr", "lpips")
PROMPTS = ("a small red ball rising in front of a sunset", "a star and a ring")


def make_plan(member, settings=SETTINGS, steps=6):
    call = {**MEMBERS[member].call, "num_inference_steps": steps}
    model = PlanModel(member, f"pocket:{member}", dtype="float32", device="cpu", call=call)
    return BenchPlan("toy", PlanPrompts("file"), (model,), settings, batch=2, metrics=METRICS)


def read_forms(*thresholds):
    """Every form of plans/pocket/abstract.toml, at these thresholds."""
    plan = read_plan(Path(__file__).parents[2] / "plans" / "pocket" / "abstract.toml")
    forms = {setting.series: setting for setting in plan.settings}
    for name, form in forms.items():
        for threshold in thresholds:
            knobs = {**form.knobs, "threshold": threshold, "align_steps": 3}
            yield replace(form, name=f"{name} {threshold}", knobs=knobs, models=())


def test_the_forms_of_a_policy_share_a_call():
    keys = {(setting.policy, find_sharing_key(setting)) for setting in read_forms(0.1)}
    assert {policy for policy, _ in keys} == {"navicache", "easycache", "ema"}
    assert len(keys) == 3 and None not in dict(keys).values()


@pytest.mark.slow
def test_every_form_decides_in_a_shared_call_as_on_its_own(tmp_path):
    """Some of them read one change of the latent, others one for each channel."""
    (group,) = expand_plan(make_plan("unet", tuple(read_forms(0.15)), steps=12), PROMPTS[:1])
    decisions = []
    for name, worker_class, share in (("own", PipelineWorker, tuple), ("shared", SharedCallWorker, share_all)):
        worker = worker_class(tmp_path / name, ResultFiles(tmp_path / name, 0), ("psnr",))
        rows = [row for batch in share(group) for row in worker(batch) if row["kind"] == "cached"]
        traces = {row["setting"]: Trace.load(tmp_path / name / row["trace"]) for row in rows}
        decisions.append({name: [step.computed for step in t.runs[0].leading] for name, t in traces.items()})
    own, shared = decisions
    assert own == shared
    assert len(set(map(tuple, own.values()))) >= 4, "the forms differ at this threshold"


@pytest.mark.parametrize(
    "member", ["unet", pytest.param("hunyuan", marks=pytest.mark.slow)]
)  # guidance in one call and none
def test_rows_equal_those_of_calls_of_their_own(tmp_path, member):
    found = []
    for name, worker_class, share in (("own", PipelineWorker, tuple), ("shared", SharedCallWorker, share_all)):
        (group,) = expand_plan(make_plan(member), PROMPTS)
        worker = worker_class(tmp_path / name, ResultFiles(tmp_path / name, 0, 0), METRICS)
        rows = [row for batch in share(group) for row in worker(batch)]
        found.append({(row["setting"], row["prompt"]): row for row in rows})
    own, shared = found
    assert own.keys() == shared.keys()
    for key, row in own.items():
        assert shared[key]["steps"] == row["steps"], key
        if row["quality"]:
            assert shared[key]["quality"]["psnr"] == pytest.approx(row["quality"]["psnr"], abs=0.05), key
            assert shared[key]["quality"]["lpips"] == pytest.approx(row["quality"]["lpips"], rel=0.05, abs=1e-5), key
    computed = {setting: row["steps"]["computed"] for (setting, _), row in shared.items()}
    assert computed["list"] == 4 and computed["other list"] == 5
    assert computed["low"] > computed["high"]


def test_only_settings_with_one_predictor_share_a_call():
    (group,) = expand_plan(make_plan("unet"), PROMPTS)
    names = [[job.setting.name for job in batch] for batch in share_calls(group, row_limit=64)]
    assert names == [
        ["baseline"] * 2,
        ["list"] * 2 + ["other list"] * 2,
        ["low"] * 2 + ["high"] * 2,
        ["l2p half"] * 2 + ["l2p most"] * 2,
        ["fewer steps"] * 2,
    ]
    limited = [len(batch) for batch in share_calls(group, row_limit=2)]
    assert limited == [2] * 8


def test_a_setting_that_needs_more_than_a_gate_has_no_key():
    assert find_sharing_key(PlanSetting("mode", "navicache", mode="fast")) is None
    assert find_sharing_key(PlanSetting("blocks", "inertial", knobs={"site": "blocks"})) is None
    assert find_sharing_key(PlanSetting("call", "schedule", knobs={"at": [0]}, call={"guidance_scale": 1.0})) is None
    assert find_sharing_key(PlanSetting("no table", "magcache")) is None
    assert find_sharing_key(PlanSetting("a table", "magcache", calibrate=("a ball",))) is None
    assert find_sharing_key(PlanSetting("target", "navicache", target=2.0)) is None
    assert find_sharing_key(SETTINGS[0]) == find_sharing_key(SETTINGS[1]) != find_sharing_key(SETTINGS[2])


def test_each_sample_asks_its_own_gate():
    gates = SampleGates(tuple(build_policy("schedule", at=at).schemes()[0].gate for at in ([0, 2], [0, 1])))
    step = Step(index=1, local_index=1, total=3)
    decided = [gates.decide(gates.init(), step._replace(sample=sample))[0].compute for sample in (0, 1)]
    assert decided == [False, True]


@pytest.mark.parametrize("guidance", [True, False])
@pytest.mark.parametrize("name", ["flux", "ltx"])
def test_packed_latents_share_a_call(name, guidance):
    """Flux guides in a second call, LTX in rows of the same one."""
    tiny = TINY[name]
    pipe = tiny.build(layers=1)
    policies = [build_policy("navicache", threshold=threshold, align_steps=2) for threshold in (0.03, 0.3)]
    schemes = tuple(policy.schemes()[0] for policy in policies)
    with enable(pipe, SharedCall(schemes)) as cache, tell_rows_apart(find_denoiser(pipe), 2):
        shared = tiny.call(pipe, batch=2, guidance=guidance)
    computed = []
    for sample, (policy, trace) in enumerate(zip(policies, split_by_sample(cache.trace, 2), strict=True)):
        with enable(pipe, policy) as cache:
            own = tiny.call(pipe, seed=sample, prompt=f"a cat {sample}", guidance=guidance)[0]
        decided = [[step.computed for step in each.runs[0].leading] for each in (cache.trace, trace)]
        assert decided[0] == decided[1]
        assert (own - shared[sample]).abs().max() < 1e-3 * own.abs().max()
        computed.append(sum(decided[0]))
    assert computed[0] > computed[1], "the gates differ at these thresholds"
