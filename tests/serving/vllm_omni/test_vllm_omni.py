"""vLLM-Omni's own plug-in loader, selector, runner, scheduler and guidance on the CPU, with a tiny Wan."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.support.pairs import agree, differ, together

pytestmark = [
    pytest.mark.serving,
    pytest.mark.skipif(find_spec("vllm_omni") is None, reason="vLLM-Omni is not installed: make test-serving"),
]


@pytest.fixture(scope="module")
def tiny() -> Iterator[Any]:
    from tests.serving.vllm_omni import tiny
    from vllm_omni.plugins import load_omni_general_plugins

    from navicache_serving.vllm_omni import plugin

    tiny.gather()
    load_omni_general_plugins()  # finds the entry point of the installed package
    yield tiny
    plugin.unregister()
    torch.distributed.destroy_process_group()


@pytest.fixture(scope="module")
def exact(tiny: Any) -> Any:
    return tiny.loaded()


@pytest.mark.parametrize(("knobs", "calls"), [(None, 20), ({"speedup": 2.0}, 20), ({"speedup": 2.5}, 16)])
def test_the_target_is_met(tiny: Any, exact: Any, knobs: Any, calls: int) -> None:
    latents, made = tiny.request(tiny.loaded("navicache", knobs))
    truth, all_calls = tiny.request(exact)
    assert (made, all_calls) == (calls, 40)
    assert 0 < (latents - truth).norm() / truth.norm() < 0.1


def test_the_backend_is_one_of_theirs(tiny: Any) -> None:
    from vllm_omni.diffusion.cache.base import CacheBackend

    backend = tiny.loaded("navicache").cache_backend
    assert isinstance(backend, CacheBackend) and backend.is_enabled()


@pytest.mark.parametrize("how", ["none", "speedup 1", "disabled"])
def test_off_is_bit_exact(tiny: Any, exact: Any, how: str) -> None:
    runner = tiny.loaded(*{"none": ("none",), "speedup 1": ("navicache", {"speedup": 1})}.get(how, ("navicache",)))
    if how == "disabled":
        tiny.request(runner)
        runner.cache_backend.disable()
    latents, made = tiny.request(runner)
    assert made == 40 and torch.equal(latents, tiny.request(exact)[0])
    assert "forward" not in vars(runner.pipeline.transformer)
    assert how == "speedup 1" or "forward" not in vars(runner.pipeline)  # where requests are listened to


@pytest.mark.parametrize("config", [{}, {"speedup": 1}], ids=["on", "off"])
def test_a_request_has_settings_or_a_quality_of_its_own(tiny: Any, exact: Any, config: dict[str, Any]) -> None:
    runner, plain = tiny.loaded("navicache", config), 40 if config else 20
    truth = tiny.request(exact)[0]
    assert tiny.request(runner, navicache={"speedup": 2.5})[1] == 16
    assert tiny.request(runner, quality="high")[1] == 20
    assert tiny.request(runner)[1] == plain
    for off in ({"navicache": False}, {"quality": "lossless"}):
        latents, calls = tiny.request(runner, **off)
        assert calls == 40 and torch.equal(latents, truth)
    with pytest.raises(ValueError, match="did you mean 'speedup'"):
        tiny.request(runner, navicache={"sped_up": 2})
    assert tiny.request(runner)[1] == plain


def test_requests_of_many_kinds_leave_nothing_to_the_next(tiny: Any) -> None:
    runner = tiny.loaded("navicache", {"speedup": 2.0})
    alone, calls = tiny.request(runner, 30)
    assert calls == 30  # of 60
    for steps, requests in ((50, 1), (4, 1), (1, 1), (20, 2), (20, 1)):
        tiny.request(runner, steps, seed=7, requests=requests)
    with pytest.raises(RuntimeError, match="stopped"):
        tiny.request(runner, 30, stop_after=13)
    assert torch.equal(tiny.request(runner, 30)[0], alone)


@pytest.mark.parametrize("extra", [{}, {"stop_after": 13}], ids=["finished", "cancelled"])
def test_a_request_that_is_over_keeps_no_tensor(tiny: Any, extra: dict[str, int]) -> None:
    runner, seen = tiny.loaded("navicache", {"speedup": 2.0}), list[weakref.ref[torch.Tensor]]()

    def look(_: Any, __: Any, given: dict[str, Any]) -> None:
        seen.append(weakref.ref(given["hidden_states"]))

    runner.pipeline.transformer.register_forward_pre_hook(look, with_kwargs=True)
    with pytest.raises(RuntimeError, match="stopped") if extra else nullcontext():
        tiny.request(runner, 30, **extra)
    gc.collect()
    assert len(seen) > 5 and not [each for each in seen if each() is not None]


def test_a_request_that_names_no_steps_is_cached_too(tiny: Any) -> None:
    assert tiny.request(tiny.loaded("navicache", {"speedup": 2.0}), None)[1] == 30  # of 60


def test_two_experts(tiny: Any) -> None:
    latents, made = tiny.request(tiny.loaded("navicache", {"speedup": 2.0}, boundary_ratio=0.8), 40)
    truth, all_calls = tiny.request(tiny.loaded(boundary_ratio=0.8), 40)
    assert 40 <= made <= 48 and all_calls == 80
    assert (latents - truth).norm() / truth.norm() < 0.1


@pytest.mark.parametrize(
    ("knobs", "why"), [({"speedup": 0.5}, "speedup"), ({"sped_up": 2}, "did you mean"), ({"policy": "x"}, "x")]
)
def test_wrong_settings_are_refused_while_the_model_is_loaded(tiny: Any, knobs: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tiny.loaded("navicache", knobs)


def test_other_names_stay_as_they_are(tiny: Any) -> None:
    with pytest.raises(ValueError, match="Unsupported cache backend: nobody"):
        tiny.loaded("nobody")


def test_step_mode_is_refused(tiny: Any) -> None:
    from navicache_serving.vllm_omni.backend import refuse_step_execution

    runner = tiny.loaded("navicache")
    runner.pipeline.od_config.step_execution = True
    with pytest.raises(ValueError, match="step execution mixes steps of several requests"):
        refuse_step_execution(runner.pipeline)


def test_the_entry_point_is_light() -> None:
    code = (
        "import sys; from importlib.metadata import entry_points; "
        "(ep,) = [e for e in entry_points(group='vllm_omni.general_plugins') if e.name == 'navicache']; ep.load(); "
        "bad = {'vllm', 'vllm_omni', 'diffusers', 'transformers'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))


@pytest.mark.parametrize("way", ["tensor", "sequence", "guidance"])
def test_ranks_that_share_a_model_decide_alike(way: str, tmp_path: Path) -> None:
    left, right = together("tests.serving.vllm_omni.rank", way, tmp_path)
    agree(left, right)
    differ(left, right)


def test_ranks_of_two_replicas_decide_for_themselves(tmp_path: Path) -> None:
    left, right = together("tests.serving.vllm_omni.rank", "data", tmp_path)
    assert left["first"] == left["by itself"] and right["first"] == right["by itself"]
    differ(left, right)
