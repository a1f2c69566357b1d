"""SGLang's own plug-in loader, hook registry, stage, scheduler and guidance on the CPU, with a tiny Wan."""

from __future__ import annotations

import gc
import logging
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

from navicache_serving.sglang.all_hooks import build_hooks

pytestmark = [
    pytest.mark.serving,
    pytest.mark.skipif(find_spec("sglang") is None, reason="SGLang is not installed: make test-serving"),
]


@pytest.fixture(scope="module")
def plain() -> Any:
    """Latents of a stage that nobody has hooked yet, by the number of its experts."""
    from tests.serving.sglang import tiny

    args = tiny.server()
    return {
        experts: tiny.served(tiny.stage(args, experts), tiny.request(**settings), args)
        for experts, settings in ((1, {}), (2, {"steps": 40, "boundary_ratio": 0.8}))
    }


@pytest.fixture(scope="module")
def tiny(plain: Any) -> Any:
    from sglang.multimodal_gen.runtime.platforms.plugins import HookRegistry, apply_plugin_hooks
    from tests.serving.sglang import tiny

    del plain  # made first
    apply_plugin_hooks()  # finds the entry point of the installed package
    assert HookRegistry._patched == build_hooks(lambda: None, lambda: None).keys()
    return tiny


def served(tiny: Any, made: Any = None, **settings: Any) -> tuple[torch.Tensor, int]:
    args = tiny.server()
    return tiny.served(made or tiny.stage(args), tiny.request(**settings), args)


@pytest.mark.parametrize(("asked", "calls"), [(True, 20), ({"speedup": 2.0}, 20), ({"speedup": 2.5}, 16)])
def test_the_target_is_met(tiny: Any, plain: Any, asked: Any, calls: int) -> None:
    latents, made = served(tiny, asked=asked)
    truth, all_calls = plain[1]
    assert (made, all_calls) == (calls, 40)
    assert 0 < (latents - truth).norm() / truth.norm() < 0.1


@pytest.mark.parametrize("asked", [None, False, {"speedup": 1}])
def test_off_is_bit_exact(tiny: Any, plain: Any, asked: Any) -> None:
    made = tiny.stage(tiny.server())
    served(tiny, made, asked={"speedup": 2.0})
    latents, calls = served(tiny, made, asked=asked)
    assert calls == 40 and torch.equal(latents, plain[1][0])


def test_requests_of_many_kinds_leave_nothing_to_the_next(tiny: Any) -> None:
    made = tiny.stage(tiny.server())
    alone, calls = served(tiny, made, steps=30, asked={"speedup": 2.0})
    assert calls == 30  # of 60
    for steps, batch in ((50, 1), (4, 1), (1, 1), (20, 2)):
        served(tiny, made, steps=steps, batch=batch, seed=7, asked={"speedup": 2.0})
    made.transformer.stop_after = 12
    stopped = tiny.request(30, asked={"speedup": 2.0})
    with pytest.raises(RuntimeError, match="stopped"):
        tiny.served(made, stopped, tiny.server())
    assert not [key for key in stopped.extra if "run" in key]
    made.transformer.stop_after = None
    assert torch.equal(served(tiny, made, steps=30, asked={"speedup": 2.0})[0], alone)


@pytest.fixture
def silent() -> Iterator[None]:
    """SGLang logs an error, and pytest keeps what is logged, with all its frames."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("stop_after", [None, 12], ids=["finished", "cancelled"])
def test_a_request_that_is_over_keeps_no_tensor(tiny: Any, stop_after: int | None) -> None:
    made, seen = tiny.stage(tiny.server()), list[weakref.ref[torch.Tensor]]()

    def look(_: Any, __: Any, given: dict[str, Any]) -> None:
        seen.append(weakref.ref(given["hidden_states"]))

    made.transformer.stop_after = stop_after
    made.transformer.register_forward_pre_hook(look, with_kwargs=True)
    with pytest.raises(RuntimeError, match="stopped") if stop_after else nullcontext():
        served(tiny, made, steps=30, asked={"speedup": 2.0})
    gc.collect()
    assert len(seen) > 5 and not [each for each in seen if each() is not None]


def test_a_warm_up_runs_the_model(tiny: Any) -> None:
    args, batch = tiny.server(), tiny.request(asked={"speedup": 2.0})
    batch.is_warmup = True
    assert tiny.served(tiny.stage(args), batch, args)[1] == 40


def test_two_experts(tiny: Any, plain: Any) -> None:
    made = tiny.stage(tiny.server(), 2)
    latents, calls = served(tiny, made, steps=40, boundary_ratio=0.8, asked={"speedup": 2.0})
    truth, all_calls = plain[2]
    assert 40 <= calls <= 48 and all_calls == 80 and made.transformer_2.times
    assert (latents - truth).norm() / truth.norm() < 0.1


@pytest.mark.parametrize(
    ("asked", "why"), [({"speedup": 0.5}, "speedup"), ({"sped_up": 2}, "did you mean"), ({"policy": "x"}, "x")]
)
def test_wrong_settings_fail_the_verification_of_the_request(tiny: Any, asked: Any, why: str) -> None:
    args = tiny.server()
    made = tiny.stage(args)
    with pytest.raises(ValueError, match=why):
        tiny.served(made, tiny.request(asked=asked), args)
    assert not made.transformer.times


def test_requests_with_other_settings_are_never_merged(tiny: Any) -> None:
    from sglang.multimodal_gen.runtime.managers.scheduler import Scheduler

    scheduler = Scheduler.__new__(Scheduler)
    asked = ({"speedup": 2.0}, {"speedup": 2.0}, {"speedup": 2.5})
    said = [scheduler._diffusers_kwargs_signature_value(tiny.request(asked=each)) for each in asked]
    assert said[0] == said[1] != said[2]


def test_the_entry_point_is_light() -> None:
    code = (
        "import sys; from importlib.metadata import entry_points; "
        "(ep,) = [e for e in entry_points(group='sglang.multimodal_gen.plugins') if e.name == 'navicache']; ep.load(); "
        "bad = {'sglang', 'diffusers', 'transformers'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))


@pytest.mark.parametrize("way", ["tensor", "sequence", "guidance"])
def test_ranks_that_share_a_model_decide_alike(way: str, tmp_path: Path) -> None:
    left, right = together("tests.serving.sglang.rank", way, tmp_path)
    agree(left, right)
    differ(left, right)
    assert left["frames"] == right["frames"] == (2 if way == "sequence" else 4)  # SGLang has split the latents
    assert way == "tensor" or left["latents"] == right["latents"]  # and has put them together
