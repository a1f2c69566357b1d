"""A handle that is kept after `disable` keeps its report, and neither the model nor the pipeline."""

from __future__ import annotations

import gc
import weakref

import pytest
import torch
from tests.integrations.common import REUSING, STEPS, params
from tests.robustness.stack import SITES, enabled
from tests.tiny import TINY

import navicache


def read(cache: navicache.Cache) -> tuple[object, ...]:
    return cache.summary(), cache.trace, cache.notes, repr(cache)


@pytest.mark.parametrize("site", ["model", "blocks"])
@pytest.mark.parametrize("name", params("wan", "wan22"))
def test_a_pipeline_is_let_go_of(name: str, site: str) -> None:
    pipe = TINY[name].build()
    cache = navicache.enable(pipe, speedup=2.0, site=site)
    TINY[name].call(pipe, steps=STEPS)
    before = read(cache)
    held = [weakref.ref(pipe), weakref.ref(pipe.transformer), weakref.ref(pipe.scheduler)]
    cache.disable()
    del pipe
    gc.collect()
    assert [each() for each in held] == [None] * len(held)
    cache.disable()
    cache.reset()
    assert read(cache) == before
    assert cache.progress == (0, 0)


@pytest.mark.parametrize("site", SITES)
def test_a_module_is_let_go_of(site: str) -> None:
    model, cache = enabled(site, steps=STEPS)
    for step in range(STEPS):
        model(torch.ones(1, 5, 2), torch.tensor([1000.0 - 50 * step]), torch.ones(1, 3, 2))
    cache.reset()
    before, held = read(cache), weakref.ref(model)
    cache.disable()
    del model
    gc.collect()
    assert held() is None
    assert read(cache) == before
    with pytest.raises(TypeError, match="call the model or its pipeline, not the handle"):
        cache()


def test_what_was_said_of_another_model_stays_said() -> None:
    pipe = TINY["wan"].build()
    cache = navicache.enable(pipe, **REUSING)
    pipe.transformer = TINY["wan"].build().transformer
    before = cache.notes
    assert "another transformer" in " ".join(before)
    cache.disable()
    assert cache.notes == before
