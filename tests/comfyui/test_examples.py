"""Every example workflow holds together, and asks for nodes and inputs that exist."""

from typing import Any

import pytest
from tests.comfyui.server import Server
from tests.comfyui.stand_in import load_pack, widgets
from tests.comfyui.workflows import FOLDER, NAMES, PAGE_ONLY, read


def test_all_models_are_there() -> None:
    assert NAMES == [
        "flux_dev",
        "hunyuan_video_t2v",
        "ltx_video_t2v",
        "wan2.1_i2v",
        "wan2.1_t2v",
        "wan2.2_t2v_two_samplers",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_links_have_two_ends(name: str) -> None:
    workflow = read(name)
    assert not workflow.broken_links() and not workflow.loose_ends()


@pytest.mark.parametrize("name", NAMES)
def test_every_sampler_has_a_cache_and_a_report(name: str) -> None:
    workflow = read(name)
    samplers = [node for node in workflow.document["nodes"] if node["type"].startswith(("KSampler", "SamplerCustom"))]
    count = len([node for node in samplers if node["type"] != "KSamplerSelect"])
    assert len(workflow.of("NaviCache")) == len(workflow.of("NaviCacheReport")) == count


@pytest.mark.parametrize("name", NAMES)
def test_no_node_covers_another(name: str) -> None:
    assert not read(name).overlaps()


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_a_model_has_a_link_and_the_template_a_picture(name: str) -> None:
    for node in read(name).document["nodes"]:
        files = [value for value in node["widgets_values"] if str(value).endswith(".safetensors")]
        links = node["properties"].get("models", [])
        assert [link["name"] for link in links] == files
        assert all(link["url"].endswith(f"/{link['name']}") and link["directory"] for link in links)
    assert (FOLDER / f"{name}.jpg").is_file()  # ComfyUI's page shows it


@pytest.mark.parametrize("name", NAMES)
def test_widgets_are_those_of_the_node(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = load_pack(monkeypatch)
    known = widgets(pack.NaviCache.define_schema())
    for node in read(name).of("NaviCache"):
        target, value, knobs = node["widgets_values"]
        inner = next(widget for key, widget in known.items() if key.startswith(f"{target}: "))
        assert inner.min <= value <= inner.max
        assert pack.NaviCache.validate_inputs(knobs) is True
        shown = [slot["name"] for slot in node["inputs"] if "widget" in slot]
        assert shown == ["target", f"target.{inner.args[0]}"]


@pytest.mark.comfyui
@pytest.mark.parametrize("name", NAMES)
def test_nodes_and_inputs_exist_in_comfyui(comfyui: Server, name: str) -> None:
    known = comfyui.ask("object_info")
    for node in read(name).document["nodes"]:
        if node["type"] not in PAGE_ONLY:
            names = _inputs(known[node["type"]])
            assert {slot["name"] for slot in node["inputs"]} <= names, node["type"]
            shown = [slot["name"] for slot in node["outputs"]]
            assert shown == known[node["type"]]["output_name"][: len(shown)]  # a newer ComfyUI may have more


def _inputs(info: dict[str, Any]) -> set[str]:
    """Names of all inputs, those behind a choice with a dot."""
    found: set[str] = set()
    for group in ("required", "optional"):
        for name, (kind, *more) in info["input"].get(group, {}).items():
            found.add(name)
            for option in more[0]["options"] if kind == "COMFY_DYNAMICCOMBO_V3" else ():
                found |= {f"{name}.{inner}" for inner in option["inputs"].get("required", {})}
    return found
