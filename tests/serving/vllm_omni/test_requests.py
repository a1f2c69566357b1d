"""Settings and qualities of one request to vLLM-Omni: its own count more than the server's."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.serving.vllm_omni.standin import Pipeline, Staged, asking, backend, request
from tests.support.tuned import tuned_file

from navicache_serving.vllm_omni.backend import PipelineCacheBackend


def served(pipe: Pipeline, cache: PipelineCacheBackend, *asked: Any, **call: Any) -> int:
    """Calls of the model for one of two branches."""
    pipe.transformer.calls.clear()
    request(pipe, cache, wave=asking(*asked, **call))
    return len(pipe.transformer.calls) // 2


def enabled(**config: Any) -> tuple[Pipeline, PipelineCacheBackend]:
    pipe, cache = Pipeline(), backend(**config)
    cache.enable(pipe)
    return pipe, cache


@pytest.mark.parametrize(("server", "plain"), [({}, 10), ({"speedup": 2.5}, 8), ({"speedup": 1}, 20)])
def test_a_request_counts_more_than_the_server_and_only_for_itself(server: dict[str, Any], plain: int) -> None:
    pipe, cache = enabled(**server)
    for asked, calls in ((None, plain), ({"speedup": 4.0}, 5), (None, plain), (False, 20), (True, 10), (None, plain)):
        assert served(pipe, cache, asked) == calls


def test_a_pipeline_that_is_run_by_its_stage_reads_them_too() -> None:
    pipe, cache = Staged(), backend()
    cache.enable(pipe)
    assert [served(pipe, cache, asked) for asked in (None, {"speedup": 4.0}, False)] == [10, 5, 20]


def test_the_steps_of_one_request_are_not_those_of_the_next() -> None:
    """A request that tells no steps is not refreshed, and a pipeline without a scheduler does not tell them."""
    alone, after = Pipeline(own=True), Pipeline(own=True)
    for pipe, earlier in ((alone, []), (after, [8])):
        cache = backend()
        cache.enable(pipe)
        for steps in (*earlier, None):
            pipe.transformer.calls.clear()
            request(pipe, cache, steps=steps)
    assert after.transformer.calls == alone.transformer.calls


def test_off_for_one_request_is_bit_exact() -> None:
    pipe, cache = enabled()
    cached = request(pipe, cache)
    for wave in (asking(False), asking({"speedup": 1}), asking(None, quality="lossless")):
        assert torch.equal(request(pipe, cache, wave=wave), request(Pipeline(), None))
        assert "forward" not in vars(pipe.transformer)
        assert torch.equal(request(pipe, cache), cached)


def test_a_quality_is_vllm_omnis_word_for_it(tmp_path: Path) -> None:
    path = str(tuned_file(tmp_path, "Field", steps=20))
    pipe, cache = enabled(settings=path)
    assert [served(pipe, cache, None, quality=quality) for quality in (None, "high", "lossless", None)] == [4, 8, 20, 4]
    assert served(pipe, cache, {"quality": "high"}) == 8
    pipe, cache = enabled(speedup=4.0)
    assert [served(pipe, cache, None, quality=quality) for quality in ("high", None)] == [10, 5]


class WithCache(Pipeline):
    """A pipeline that puts Cache-DiT on for the quality "high", as MiniMax H3's."""

    def adopt_cache_dit_backend(self, backend: Any) -> None:
        """vLLM-Omni's protocol."""


def test_a_pipelines_own_cache_excludes_this_one() -> None:
    pipe, cache = WithCache(), backend()
    cache.enable(pipe)
    assert [served(pipe, cache, None, quality=quality) for quality in (None, "high", None)] == [10, 20, 10]
    with pytest.raises(ValueError, match="quality 'high' is a cache of this pipeline"):
        served(pipe, cache, {"speedup": 2.0}, quality="high")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"sped_up": 2}, "did you mean 'speedup'"),
        ({"policy": "teacache"}, "reaches inside"),
        ({"settings": "wan.json"}, "a request cannot name a settings file"),
        ({"calibration": "wan.json"}, "a request cannot name a calibration"),
        ("fast", "give settings"),
    ],
)
def test_wrong_settings_fail_that_request_before_its_first_step(asked: Any, why: str) -> None:
    pipe, cache = enabled()
    with pytest.raises(ValueError, match=why):
        served(pipe, cache, asked)
    assert not pipe.transformer.calls and served(pipe, cache, None) == 10


def test_a_wave_of_different_settings_is_computed_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    pipe, cache = enabled()
    assert served(pipe, cache, {"speedup": 4.0}, {"speedup": 4.0}) == 5 and not caplog.records
    assert served(pipe, cache, {"speedup": 4.0}, {"sped_up": 2}) == 20  # a wrong one does not fail the other
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert "different settings" in caplog.text


def test_a_model_that_is_refused_leaves_nothing_attached() -> None:
    pipe, cache = Pipeline(), backend(speedup=1)
    pipe.transformer_2 = pipe.transformer  # the second time it is cached already
    cache.enable(pipe)
    with pytest.raises(ValueError, match="cached already"):
        served(pipe, cache, {"speedup": 4.0})
    assert "forward" not in vars(pipe.transformer) and served(pipe, cache, None) == 20
