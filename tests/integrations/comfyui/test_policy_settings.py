"""What may be asked for, and what is said where it may not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from tests.integrations.comfyui.loops import counts, generate, relative, report_of
from tests.integrations.comfyui.standin import Model, Network, Patcher

from navicache.integrations.policy_choice import CacheOptions
from navicache.models import Quality
from navicache.policies import Spectrum, Static
from navicache_comfyui import attach, last_run
from navicache_comfyui.policy_settings import choose_comfyui_policy, list_whole_model_policies

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"speedup": 2.0, "quality": "high"}, "speedup and quality exclude each other: give one of them"),
    ({"max_error": 0.1, "quality": "high"}, "quality and max_error exclude each other: give one of them"),
    ({"mode": "fast", "quality": "fast"}, "mode and quality exclude each other: give one of them"),
    ({"quality": "best"}, "quality must be one of 'lossless', 'high', 'fast', got 'best'"),
    ({"mode": "high"}, "unknown mode 'high'"),
    ({"speedup": 0.5}, "speedup must be"),
    ({"max_error": 7.0}, "max_error must be"),
    ({"policy": "inertia"}, "unknown policy 'inertia'; known: "),
    ({"policy": "inertial", "knobs": {"aling_steps": 2}}, "did you mean 'align_steps'?"),
    ({"policy": "pab"}, "policy 'pab' reaches inside the model, which ComfyUI shares between workflows: choose one"),
    ({"policy": "static", "quality": "high"}, "quality and policy exclude each other"),
    ({"policy": Static(interval=2), "mode": "mid"}, "a ready-made policy has its own settings"),
]


@pytest.mark.parametrize(("asked", "message"), WRONG)
def test_a_wrong_setting_says_what_to_do(asked: dict[str, Any], message: str) -> None:
    model = Patcher(Model())
    with pytest.raises(ValueError, match=message.replace("?", r"\?").replace("(", r"\(")):
        attach(model, **asked)
    assert model.wrappers == {}


def test_what_is_not_a_model_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot cache a Network: give the MODEL of a loader node"):
        attach(Network())


def test_nothing_has_run_yet() -> None:
    assert last_run(attach(Patcher(Model()), speedup=2.0)) is None


@pytest.mark.parametrize(("mode", "computed"), [("slow", 11), ("mid", 10), ("fast", 9), (None, 10)])
def test_a_mode_is_the_preset_of_the_model(mode: str | None, computed: int) -> None:
    patched = attach(Patcher(Model()), mode=mode)
    generate(patched)
    assert counts(patched) == [(20, computed)]


@pytest.mark.parametrize(("quality", "computed"), [("lossless", 13), ("high", 10), ("fast", 7)])
def test_a_quality_is_that_of_enable(quality: Quality, computed: int) -> None:
    patched = attach(Patcher(Model()), quality=quality)
    generate(patched)
    assert counts(patched) == [(20, computed)]
    assert f"quality {quality!r} is the default's speed-up" in report_of(patched).summary


@pytest.mark.parametrize(("quality", "computed"), [("slow", 11), ("mid", 10)])
def test_a_quality_that_is_a_mode_now_is_taken_as_one(quality: Any, computed: int) -> None:
    with pytest.warns(DeprecationWarning, match=f"is now mode='{quality}'"):
        patched = attach(Patcher(Model()), quality=quality)
    generate(patched)
    assert counts(patched) == [(20, computed)]


@pytest.mark.parametrize("target", [{}, {"mode": "mid"}, {"quality": "high"}, {"speedup": 2.0}])
def test_knobs_without_a_policy_are_those_of_the_default(target: dict[str, Any]) -> None:
    patched = attach(Patcher(Model()), **target, knobs={"align_steps": 5, "last_step": False})
    generate(patched)
    (run,) = report_of(patched).trace.runs
    assert (run.policy, run.settings["align_steps"], run.computed) == ("inertial", 5, 10)


def test_an_error_bound() -> None:
    few, many = (attach(Patcher(Model()), max_error=error) for error in (0.1, 0.002))
    truth = generate(Patcher(Model()))
    assert relative(generate(many), truth) < relative(generate(few), truth) < 0.1
    assert report_of(few).computed < report_of(many).computed


@pytest.mark.parametrize("policy", list_whole_model_policies())
def test_every_policy_of_whole_calls(policy: str) -> None:
    knobs = {"threshold": 0.2} if policy in ("navicache", "ema", "easycache", "seacache") else {}
    patched = attach(Patcher(Model()), policy=policy, knobs=knobs)
    assert relative(generate(patched), generate(Patcher(Model()))) < 0.3
    assert report_of(patched).computed < 20
    assert report_of(patched).summary.startswith(f"{policy} on Network: computed")


def test_rivals_that_reach_inside_the_model_elsewhere_predict_whole_calls() -> None:
    assert {"taylorseer", "hicache", "spectrum"} <= set(list_whole_model_policies())
    module = Network()
    assert choose_comfyui_policy(module, CacheOptions("spectrum", knobs={"window": 3}))[0] == Spectrum(
        window=3, site="model"
    )
    with pytest.raises(ValueError, match="policy 'hicache' reaches inside the model"):
        choose_comfyui_policy(module, CacheOptions("hicache", knobs={"lite": False}))


def test_a_later_node_takes_the_place_of_an_earlier_one() -> None:
    first = attach(Patcher(Model()), speedup=2.0)
    second = attach(first, speedup=2.5)
    generate(second)
    assert counts(second) == [(20, 8)]
    assert last_run(first) is None


@pytest.mark.parametrize(
    ("kind", "size", "said"),
    [
        ("WanModel", {"in_dim": 16, "num_layers": 40}, ""),
        ("WanModel", {"in_dim": 16, "num_layers": 7}, "a Wan transformer of an unlisted size"),
        ("HunyuanVideo", {}, ""),
        ("LTXVModel", {}, "no setting is published for LTX-Video"),
        ("Flux", {}, "no setting is published for FLUX.1"),
        ("Network", {}, "no setting is published for this model"),
    ],
)
def test_models_are_known_by_class_and_size(kind: str, size: dict[str, int], said: str) -> None:
    module = type(kind, (Network,), {})()
    vars(module).update(size)
    notes = choose_comfyui_policy(module, CacheOptions("navicache", "fast"))[1]
    assert [note.partition(";")[0] for note in notes] == [said] * bool(said)


@pytest.mark.slow
def test_nothing_of_comfyui_is_imported() -> None:
    """And nothing of this by the library itself."""
    code = (
        "import sys, navicache; assert 'navicache.integrations.comfyui' not in sys.modules;"
        "import navicache_comfyui; assert not {'comfy', 'comfy_api', 'diffusers'} & set(sys.modules)"
    )
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # the wrappers are no installed package
    subprocess.run([sys.executable, "-c", code], check=True, env=here)
