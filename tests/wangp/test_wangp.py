"""WanGP's plug-in on stand-ins: each generation by the settings of its moment, off as never on."""

from __future__ import annotations

import gc
import importlib
import json
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.support.tuned import tuned_file
from tests.wangp.stand_in import BoxingModel, Component, Pipeline, stand_in
from torch import Tensor
from wangp.cached_model import CachedModel
from wangp.run_settings import parse_settings


class Cached:
    """A pipeline with the cache in front; `said` has the reports of its generations."""

    def __init__(self, settings: Any, experts: int = 1) -> None:
        self.settings, self.said, self.pipeline = settings, list[str](), Pipeline(experts)
        CachedModel(self.pipeline, lambda: self.settings, self.said.append)

    def run(self, **call: Any) -> tuple[Any, int]:
        """What a generation makes, and the calls of the transformers."""
        for model in self.pipeline.transformers:
            model.calls.clear()
        return self.pipeline.generate(**{"sampling_steps": 20, **call}), self.pipeline.count_calls()


def plain(experts: int = 1, **call: Any) -> Tensor:
    return Pipeline(experts).generate(**call)


@pytest.mark.parametrize(("joint", "calls"), [(True, 20), (False, 40)])
def test_half_of_the_steps_are_computed(joint: bool, calls: int) -> None:
    cached = Cached({"speedup": 2.0})
    made, computed = cached.run(joint_pass=joint)
    exact = plain(joint_pass=joint)
    assert computed == calls // 2 and "10 of 20" in cached.said[0]
    assert torch.allclose(made, exact, rtol=0.05, atol=0.1) and not torch.equal(made, exact)


@pytest.mark.parametrize("settings", [None, {"speedup": 1.0}])
def test_off_is_bit_exact(settings: Any) -> None:
    cached = Cached({"speedup": 2.0})
    cached.run()
    cached.settings = settings
    made, calls = cached.run()
    assert calls == 40 and torch.equal(made, plain())


def test_nothing_is_left_after_a_generation() -> None:
    cached = Cached({"speedup": 2.0})
    model = cached.pipeline.model
    first, _ = cached.run()
    assert "forward" not in vars(model) and not model._forward_pre_hooks
    cached.run(seed=1, sampling_steps=9)
    assert torch.equal(cached.run()[0], first)
    gone = weakref.ref(cached.run()[0])
    gc.collect()
    assert gone() is None


def test_the_experts_count_their_steps_together() -> None:
    cached = Cached({"speedup": 2.0}, experts=2)
    made, calls = cached.run(sampling_steps=40)
    assert 36 <= calls <= 48  # of 80
    assert torch.allclose(made, plain(2, sampling_steps=40), rtol=0.05, atol=0.05)
    assert cached.pipeline.model2.calls[-1] == pytest.approx(25.0)  # the last step is computed


def test_an_interrupted_generation_ends_and_the_next_is_whole() -> None:
    cached = Cached({"speedup": 2.0})
    whole, calls = cached.run()
    cached.pipeline.interrupt_at = 9
    assert cached.run()[0] is None and "forward" not in vars(cached.pipeline.model)
    cached.pipeline.interrupt_at, cached.pipeline._interrupt = -1, False
    again, same_calls = cached.run()
    assert torch.equal(again, whole) and same_calls == calls


def test_what_cannot_be_cached_is_computed_and_said() -> None:
    skipping, bare, boxing = (Cached({"speedup": 2.0}) for _ in range(3))
    skipping.pipeline.model.cache = object()  # WanGP's own step skipping
    model = bare.pipeline.model
    vars(bare.pipeline)["model"] = lambda **given: model(**given)  # no module
    boxing.pipeline.model = BoxingModel()
    for cached in (skipping, bare, boxing):
        assert torch.equal(cached.pipeline.generate(sampling_steps=20), plain())
        assert "nothing was cached, every step is computed" in cached.said[0]
    assert "forward" not in vars(boxing.pipeline.model)


def test_settings_of_another_model_fail_the_generation_before_its_first_step(tmp_path: Path) -> None:
    cached = Cached({"settings": str(tuned_file(tmp_path, "HunyuanVideoTransformer3DModel"))})
    with pytest.raises(ValueError, match="navicache: these settings were found on a HunyuanVideo"):
        cached.run()
    assert not cached.pipeline.count_calls() and "forward" not in vars(cached.pipeline.model)


def test_a_settings_file_is_used_and_a_run_that_departs_is_said(tmp_path: Path) -> None:
    cached = Cached({"settings": str(tuned_file(tmp_path, "WanTransformer3DModel", steps=20))})
    assert cached.run()[1] == 2 * 4
    assert cached.run(sampling_steps=12)[1] == 2 * 3
    assert "12 steps, not 20" in " ".join(cached.said[1].split())


@pytest.mark.parametrize(
    ("choice", "text", "why"),
    [
        ("2x", "{", "must be JSON"),
        ("2x", "[" * 99999, "must be JSON"),
        ("2x", "[2]", "give settings"),
        ("2x", '{"sped_up": 2}', "did you mean 'speedup'"),
        ("2x", '{"policy": "teacache"}', "reaches inside"),
        ("2x", '{"settings": "none.json"}', r"none\.json"),
    ],
)
def test_wrong_settings_are_refused_in_the_panel(choice: str, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_settings(choice, text)


def load_plugin(monkeypatch: pytest.MonkeyPatch) -> Any:
    stand_in(monkeypatch)
    made = importlib.import_module("wangp.plugin").NaviCachePlugin()
    made.setup_ui()
    return made


def test_the_plugin_wraps_what_wangp_loads(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    plugin, wgp = load_plugin(monkeypatch), dict[str, Any]()
    loaded, later = Pipeline(), Pipeline()
    plugin._set_wgp_global_func = wgp.__setitem__
    plugin.load_models, plugin.wan_model = lambda name: (later, "offload"), loaded
    plugin.post_ui_setup({})
    assert wgp["load_models"]("wan") == (later, "offload")
    ((place, build),) = plugin._insert_after_requests
    Component.made.clear()
    build()
    assert place == "loras_multipliers"
    change = next(each.on_change for each in Component.made if each.on_change)
    change("2x", "")
    for pipeline in (loaded, later):
        pipeline.generate(sampling_steps=20)
        assert pipeline.count_calls() == 20
    assert "[navicache]" in capsys.readouterr().out
    (add,) = plugin._data_hooks["before_metadata_save"]
    assert "10 of 20" in add({"seed": 1}, plugin_data={}, model_type="wan")["navicache"]
    with pytest.raises(RuntimeError, match="did you mean"):
        change("2x", '{"sped_up": 2}')
    later.generate(sampling_steps=20)
    assert later.count_calls() == 60 and add({"seed": 1}) == {"seed": 1}  # off, as the panel says nothing valid


def test_another_wangp_is_left_alone_with_a_word(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    plugin = load_plugin(monkeypatch)
    plugin.post_ui_setup({})
    assert "has no load_models" in capsys.readouterr().out and not plugin._insert_after_requests


def test_the_metadata_names_an_extension() -> None:
    folder = Path(__file__).parents[2] / "wangp"
    info = json.loads((folder / "plugin_info.json").read_text())
    assert info["type"] == "extension" and info["name"] == "NaviCache"
    assert not (folder / "requirements.txt").exists()  # WanGP installs what stands there, and navicache is on no index
