"""The node pack, looked at without ComfyUI."""

import re
import tomllib
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from tests.comfyui.server import PACKS
from tests.comfyui.stand_in import Kept, load_pack, widgets

from navicache.models import QUALITIES
from navicache.records import RunRecord, StepRecord
from navicache.version import __version__

FOLDER = PACKS["navicache"]


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return load_pack(monkeypatch)


def test_every_input_and_output_has_a_tooltip(pack: ModuleType) -> None:
    for node in (pack.NaviCache, pack.NaviCacheReport):
        schema = node.define_schema()
        parts = [*schema.inputs, *schema.outputs, *widgets(schema).values()]
        assert schema.description and all(len(part.tooltip) > 10 for part in parts)


def test_every_widget_is_on_the_help_page(pack: ModuleType) -> None:
    for node in (pack.NaviCache, pack.NaviCacheReport):
        page = (FOLDER / pack.WEB_DIRECTORY / "docs" / f"{node.__name__}.md").read_text(encoding="utf-8")
        names = [name for name in widgets(node.define_schema()) if ": " not in name]
        assert not [name for name in names if name not in page]
        options = [
            option.args[0]
            for widget in node.define_schema().inputs
            for option in widget.kwargs.get("options", ())
            if isinstance(option, Kept)
        ]
        assert not [name for name in options if f"| {name} |" not in page]


@pytest.mark.parametrize(
    ("text", "knobs"),
    [
        ("", {}),
        (" , ;\n", {}),
        ("align_steps=4", {"align_steps": 4}),
        ("a = 1e-3, b=TRUE; c=none\nd=sample", {"a": 0.001, "b": True, "c": None, "d": "sample"}),
    ],
)
def test_knobs_are_read(pack: ModuleType, text: str, knobs: dict[str, Any]) -> None:
    assert pack.cache_node.build_attach_arguments({"target": "quality", "quality": "high (2x)"}, text) == {
        "quality": "high",
        "knobs": knobs,
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("align_steps", "write name=value"),
        ("=3", "write name=value"),
        ("align_steps=", "write name=value"),
        ("align_steps=4, align_steps=5", "given twice"),
        ("allign_steps=4", "did you mean 'align_steps'"),
        ("zzzzzz=4", "leave it out"),
    ],
)
def test_a_wrong_knob_is_told_in_a_sentence(pack: ModuleType, text: str, says: str) -> None:
    verdict = pack.NaviCache.validate_inputs(text)
    assert isinstance(verdict, str) and says in verdict and "\n" not in verdict


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({"target": "speedup"}, "did you mean 'speed-up'?"),
        ({"target": "zzz"}, "choose from speed-up, quality"),
        (None, "the target is missing, or none of speed-up, quality"),
    ],
)
def test_an_unknown_target_is_told_in_a_sentence(pack: ModuleType, target: Any, says: str) -> None:
    """The page cannot send one; the API can."""
    with pytest.raises(ValueError, match=re.escape(says)):
        pack.NaviCache.execute(None, target)


def test_limits_become_arguments_of_attach(pack: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(pack.cache_node, "attach", lambda model, **given: asked.append(given))
    limits = {"start_percent": 0.1, "end_percent": 0.9, "longest_reuse": 3}
    pack.NaviCache.execute(None, {"target": "quality"}, "", **limits, keep_device="cpu", keep_dtype="bfloat16")
    assert asked == [
        {
            "knobs": {"longest_reuse": 3},
            "start_percent": 0.1,
            "end_percent": 0.9,
            "keep_device": "cpu",
            "keep_dtype": torch.bfloat16,
        }
    ]


def test_a_right_knob_is_let_through(pack: ModuleType) -> None:
    assert pack.NaviCache.validate_inputs("align_steps=4") is True


def test_every_target_is_one_that_attach_takes(pack: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(pack.cache_node, "attach", lambda model, **given: asked.append(given))
    for name, widget in widgets(pack.NaviCache.define_schema()).items():
        if ": " in name:
            key, inner = name.split(": ")
            pack.NaviCache.execute(None, {"target": key, inner: widget.default})
    assert [set(given) for given in asked] == [
        {"speedup", "knobs"},
        {"quality", "knobs"},
        {"max_error", "knobs"},
        {"policy", "knobs"},
        {"settings", "knobs"},
        {"knobs"},  # the file's own choice is no quality
    ]


def test_a_quality_has_the_words_of_the_library(pack: ModuleType) -> None:
    widget = widgets(pack.NaviCache.define_schema())["quality: quality"]
    assert [*widget.options] == ["lossless (1.5x)", "high (2x)", "fast (3x)"] and widget.default == "high (2x)"
    asked = [{"target": "quality", "quality": word} for word in widget.options]
    given = [pack.node_inputs.build_attach_arguments(target, "") for target in asked]
    assert given == [{"quality": word, "knobs": {}} for word in QUALITIES]


@pytest.mark.parametrize("word", ["slow", "mid", "fast"])
def test_a_workflow_with_a_former_quality_is_taken_and_means_the_mode(pack: ModuleType, word: str) -> None:
    options = widgets(pack.NaviCache.define_schema())["quality: quality"].options
    assert word in options and word not in [*options] and "best" not in options  # ComfyUI's server asks with `in`
    saved = {"target": "quality", "quality": word}
    assert pack.node_inputs.build_attach_arguments(saved, "") == {"mode": word, "knobs": {}}
    tuned = {"target": "settings file", "settings": "wan.json", "quality": word}
    assert pack.node_inputs.build_attach_arguments(tuned, "")["quality"] == word


def test_the_report_passes_on_what_it_was_given(pack: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = tuple(StepRecord(index=i, stream="0", computed=i % 2 == 0, reason="schedule") for i in range(6))
    run = RunRecord(model="Toy", policy="static", steps=steps)
    report = SimpleNamespace(trace=SimpleNamespace(runs=(run, run)), summary="three of six")
    monkeypatch.setattr(pack.report_node, "last_run", lambda model: report)
    after, picture, summary = pack.NaviCacheReport.execute("model", "latent").args
    assert (after, summary) == ("latent", "three of six")
    batch, height, width, colours = picture.shape
    assert (batch, colours) == (1, 3) and width > height > 100 and 0 <= picture.min() < picture.max() <= 1


def test_a_report_of_nothing_says_so(pack: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pack.report_node, "last_run", lambda model: None)
    _, picture, summary = pack.NaviCacheReport.execute("model", "latent").args
    assert "nothing was cached" in summary and picture.min() < 0.5


def test_the_registry_finds_what_it_asks_for() -> None:
    document = tomllib.loads((FOLDER / "pyproject.toml").read_text())
    project, comfy = document["project"], document["tool"]["comfy"]
    assert project["version"] == __version__ and set(project["license"]) == {"text"}
    assert project["urls"]["Repository"] and comfy["PublisherId"] and comfy["requires-comfyui"]
    assert (FOLDER / comfy["Icon"].rpartition("/")[2]).is_file() and "comfyui" not in project["name"].lower()


def test_the_pack_installs_and_evaluates_nothing() -> None:
    text = "".join(path.read_text() for path in FOLDER.rglob("*.py"))
    assert not [word for word in ("subprocess", "eval(", "exec(", "pip") if word in text]
