"""Settings files of servers: named at their start, a quality by request where there are options of requests."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from tests.serving.sglang.standin import Field, Req, Stage, hooked
from tests.serving.vllm_omni.standin import Pipeline, backend, request
from tests.support.tuned import tuned_file

from navicache_serving.server_settings import read_settings


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tuned_file(tmp_path, "Field", steps=20))


def sglang_calls(server: Any, batch: Req) -> int:
    """Calls of the model for one of two branches."""
    stage = hooked(Stage(Field()), server)
    stage(batch)
    return len(stage.transformer.calls) // 2


def test_sglang_takes_the_servers_file_and_the_requests_quality(path: str) -> None:
    assert sglang_calls({"settings": path}, Req()) == 4
    assert sglang_calls({"settings": path}, Req().asking({"quality": "high"})) == 8
    assert sglang_calls({"settings": path, "quality": "high"}, Req()) == 8
    assert sglang_calls({"settings": path}, Req().asking({"speedup": 2.0})) == 10
    assert sglang_calls(None, Req().asking({"quality": "high"})) == 10  # without a file: a speed-up of 2


@pytest.mark.parametrize(
    ("server", "asked", "said"),
    [
        ({"settings": "{path}"}, {"quality": "fast"}, "no setting was measured to be 'fast'"),
        ({"settings": "{path}"}, {"quality": "high", "speedup": 2.0}, "settings and speedup exclude each other"),
        (None, {"settings": "{path}"}, "a request cannot name a settings file"),
        (None, {"calibration": "{path}"}, "a request cannot name a calibration"),
        (None, {"quality": "best"}, "quality must be one of"),
    ],
)
def test_sglang_refuses_a_request_at_its_check(path: str, server: Any, asked: Any, said: str) -> None:
    server, asked = (each and {k: str(v).format(path=path) for k, v in each.items()} for each in (server, asked))
    stage = hooked(Stage(Field()), server)
    with pytest.raises(ValueError, match=f"navicache: {said}"):
        stage.verify_input(Req().asking(asked), None)


def test_sglang_falls_back_and_its_log_says_so(path: str, caplog: pytest.LogCaptureFixture) -> None:
    stage = hooked(Stage(Field()), {"settings": path})
    with caplog.at_level(logging.INFO, "sglang.navicache"):
        for _ in range(2):
            stage(Req(steps=12))
    assert len(stage.transformer.calls) == 2 * 2 * 3
    assert [record.name for record in caplog.records if record.levelno == logging.WARNING] == ["navicache"]
    said = [" ".join(record.getMessage().split()) for record in caplog.records if record.name == "sglang.navicache"]
    assert "12 steps, not 20" in said[0] and said[0].count("inertial on Field") == 1


def test_sglang_compares_guidance_if_the_request_tells_it(tmp_path: Path) -> None:
    server = {"settings": str(tuned_file(tmp_path, "Field", steps=20, guidance=5.0))}
    fitting, departing = Req(), Req()
    fitting.guidance_scale, departing.guidance_scale = 5.0, 7.0
    assert [sglang_calls(server, batch) for batch in (fitting, departing, Req())] == [4, 5, 4]


@pytest.mark.parametrize(("own", "computed"), [(False, 4), (True, 4)])
def test_vllm_omni_takes_a_file_at_its_start(path: str, own: bool, computed: int) -> None:
    pipe, cache = Pipeline(own=own), backend(settings=path)
    cache.enable(pipe)
    for steps, calls in ((20, computed), (12, 3), (20, computed)):  # the second departs
        pipe.transformer.calls.clear()
        request(pipe, cache, steps)
        assert len(pipe.transformer.calls) == 2 * calls


def test_vllm_omni_takes_a_quality(path: str) -> None:
    for how, computed in (({"settings": path, "quality": "high"}, 8), ({"quality": "high"}, 10)):
        pipe, cache = Pipeline(), backend(**how)
        cache.enable(pipe)
        request(pipe, cache, 20)
        assert len(pipe.transformer.calls) == 2 * computed


def test_another_model_is_refused(tmp_path: Path) -> None:
    settings = str(tuned_file(tmp_path, "WanTransformer3DModel"))
    with pytest.raises(ValueError, match="navicache: these settings were found on a WanTransformer3DModel"):
        backend(settings=settings).enable(Pipeline())
    with pytest.raises(ValueError, match="navicache: these settings were found on a WanTransformer3DModel"):
        sglang_calls({"settings": settings}, Req())


@pytest.mark.parametrize("wrong", [{"settings": "none.json"}, {"settings": 3}, {"quality": 3}], ids=str)
def test_wrong_settings_are_refused_at_the_start(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="navicache: "):
        read_settings(wrong)
