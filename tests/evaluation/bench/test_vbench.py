"""VBench: its folder layout's other end, and the official sums."""

import json

import pytest

from navicache.evaluation.bench.vbench import QUALITY, RANGES, SEMANTIC, aggregate, read_results

# A published row of VBench's leaderboard cannot be had offline: these are sums worked out by hand.
HALF = {name: sum(RANGES.get(name, (0.0, 1.0))) / 2 for name in (*QUALITY, *SEMANTIC)}


def test_the_official_sums():
    assert aggregate(HALF).total == pytest.approx(0.5)
    still = {**HALF, "dynamic_degree": 0.0}
    assert aggregate(still).quality == pytest.approx((6 * 0.5 + 0) / 6.5)
    assert aggregate(still).total == pytest.approx((4 * (3 / 6.5) + 0.5) / 5)
    blue = {**HALF, "color": 1.0}
    assert aggregate(blue).semantic == pytest.approx((8 * 0.5 + 1) / 9)
    assert aggregate({name: HALF[name] for name in QUALITY}).semantic is None
    with pytest.raises(ValueError, match="no dimension 'colour'"):
        aggregate({"colour": 1.0})


def test_results_are_found_by_file_or_folder(tmp_path):
    places = {"m.default.a": "m/default/a", "m.default.b": "m/default/b"}
    (tmp_path / "m.default.b").mkdir()
    (tmp_path / "m.default.a_eval_results.json").write_text(json.dumps({"color": [0.5, []], "scene": [0.2, []]}))
    (tmp_path / "m.default.b" / "one_eval_results.json").write_text(json.dumps({"color": [0.75, [{"x": 1}]]}))
    (tmp_path / "m.default.b" / "two_eval_results.json").write_text(json.dumps({"scene": [0.25, []]}))
    found = read_results(tmp_path, places)
    assert found["m/default/a"].dimensions == {"color": 0.5, "scene": 0.2}
    assert found["m/default/b"].dimensions == {"color": 0.75, "scene": 0.25}
    with pytest.raises(ValueError, match=r"is named after a setting: call them or their folder x.y"):
        read_results(tmp_path, {"x.y": "x/y"})
    (tmp_path / "m.default.b" / "two_eval_results.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"two_eval_results.json is no result of VBench"):
        read_results(tmp_path, places)
