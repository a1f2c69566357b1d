"""What is kept for later evaluations at a noise level: no more than they need, and as the user wants it stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
import torch
from tests.integrations.comfyui.guider import Guider
from tests.integrations.comfyui.loops import LOOPS, generate, report_of
from tests.integrations.comfyui.standin import Model, Patcher
from torch import Tensor

from navicache_comfyui import attach, sampling_run
from navicache_comfyui.shape_cache import KeptOutput, LatentShapeCache

RunAndLook = Callable[..., tuple[Patcher, list[list[torch.dtype]], set[torch.dtype]]]


@pytest.fixture
def run_and_look(monkeypatch: pytest.MonkeyPatch) -> RunAndLook:
    """Runs a sampler; gives the patcher, dtypes of what was kept after each evaluation, and of what it became."""
    caches, returned = list[LatentShapeCache](), set[torch.dtype]()

    class Noted(LatentShapeCache):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            caches.append(self)

        def reuse_output(self, kept: KeptOutput, x: Tensor, sigma: Tensor) -> Tensor:
            denoised = super().reuse_output(kept, x, sigma)
            returned.add(denoised.dtype)
            return denoised

    def run(name: str, **how: Any) -> tuple[Patcher, list[list[torch.dtype]], set[torch.dtype]]:
        seen: list[list[torch.dtype]] = []

        @wraps(LOOPS[name])  # the form of what is kept depends on its name
        def sample(model: Guider, x: Tensor, sigmas: Tensor) -> Tensor:
            def evaluate(x: Tensor, sigma: Tensor) -> Tensor:
                denoised = model(x, sigma)
                seen.append([kept.output.dtype for cache in caches for kept in cache._kept.values()])
                return denoised

            return LOOPS[name](evaluate, x, sigmas)  # type: ignore[arg-type]

        patched = attach(Patcher(Model()), speedup=2.0, **how)
        generate(patched, sample)
        return patched, seen, returned

    monkeypatch.setattr(sampling_run, "LatentShapeCache", Noted)
    return run


@pytest.mark.parametrize(("name", "most"), [("euler", 0), ("dpmpp_2m", 0), ("heun", 1), ("heunpp2", 2)])
def test_only_what_an_evaluation_comes_back_to_is_kept(run_and_look: RunAndLook, name: str, most: int) -> None:
    patched, seen, _ = run_and_look(name)
    assert max(map(len, seen)) == most
    assert report_of(patched).computed < report_of(patched).evaluations


@pytest.mark.parametrize("name", ["heun", "heunpp2", "sa_solver_pece"])
def test_it_is_kept_in_the_dtype_that_was_asked_for(run_and_look: RunAndLook, name: str) -> None:
    _, seen, returned = run_and_look(name, keep_dtype=torch.bfloat16)
    assert {dtype for each in seen for dtype in each} == {torch.bfloat16} and returned == {torch.float32}
