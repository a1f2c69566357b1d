"""Published numbers, as their files have them."""

import json
import math
from importlib.resources import files

import pytest

from navicache.models.published_presets import PUBLISHED_METHODS, list_published_models, load_published_presets


def written(method: str) -> dict:
    return json.loads(files("navicache.models").joinpath("data", f"{method}.json").read_text("utf-8"))


@pytest.mark.parametrize("method", PUBLISHED_METHODS)
def test_every_model_and_mode_of_a_file_is_a_preset(method):
    entries = written(method)["models"]
    assert list_published_models(method) == tuple(entries)
    for model, entry in entries.items():
        found = load_published_presets(method, model)
        assert found.keys() == entry["modes"].keys()
        for mode, preset in found.items():
            assert entry["file"] in preset.source and entry["modes"][mode]["from"] in preset.source
            assert preset.inferred is entry["modes"][mode].get("inferred", False)
            assert not {"from", "inferred"} & preset.knobs.keys()


@pytest.mark.parametrize("method", PUBLISHED_METHODS)
def test_a_modes_own_knob_counts_before_the_models(method):
    for model, entry in written(method)["models"].items():
        for mode, preset in load_published_presets(method, model).items():
            own = {knob: value for knob, value in entry["modes"][mode].items() if knob not in ("from", "inferred")}
            for knob, value in {**entry["knobs"], **own}.items():
                assert preset.knobs[knob] == (tuple(value) if isinstance(value, list) else value)


def test_magcaches_table_begins_with_ones_and_has_no_roots_left_to_take():
    rooted = 0
    for model, entry in written("magcache")["models"].items():
        if "ratios" not in entry:
            continue
        first, last = entry["leading_ones"], entry["ratios"][-1]
        ratios = next(iter(load_published_presets("magcache", model).values())).knobs["ratios"]
        assert len(ratios) == first + len(entry["ratios"])
        assert set(ratios[:first]) == {1.0}
        assert ratios[-1] == (math.sqrt(last) if entry.get("square_root") else last)
        rooted += bool(entry.get("square_root"))
    assert rooted, "or the root would be tested by nothing"


def test_what_is_not_there_is_answered_with_what_is():
    with pytest.raises(ValueError, match=r"teacache has published nothing for 'Toy'; known: .*HunyuanVideo"):
        load_published_presets("teacache", "Toy")
    with pytest.raises(
        ValueError, match="no published settings for method 'navicache'; known: teacache, magcache, pab"
    ):
        load_published_presets("navicache", "HunyuanVideo")
