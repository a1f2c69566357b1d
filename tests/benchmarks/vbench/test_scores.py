"""VBench: results in its own form, and the official sums."""

import json
import random

import pytest
from benchmarks.vbench.scores import (
    DIMENSIONS,
    QUALITY,
    RANGES,
    SEMANTIC,
    VBenchScores,
    aggregate_scores,
    read_results,
    save_scores,
)

HALF = {name: sum(RANGES.get(name, (0.0, 1.0))) / 2 for name in DIMENSIONS}
# Least, most and weight of all 16: scripts/constant.py of github.com/Vchitect/VBench at 45e79ec.
OFFICIAL = {
    "subject_consistency": (0.1462, 1.0, 1),
    "background_consistency": (0.2615, 1.0, 1),
    "temporal_flickering": (0.6293, 1.0, 1),
    "motion_smoothness": (0.706, 0.9975, 1),
    "dynamic_degree": (0.0, 1.0, 0.5),
    "aesthetic_quality": (0.0, 1.0, 1),
    "imaging_quality": (0.0, 1.0, 1),
    "object_class": (0.0, 1.0, 1),
    "multiple_objects": (0.0, 1.0, 1),
    "human_action": (0.0, 1.0, 1),
    "color": (0.0, 1.0, 1),
    "spatial_relationship": (0.0, 1.0, 1),
    "scene": (0.0, 0.8222, 1),
    "appearance_style": (0.0009, 0.2855, 1),
    "temporal_style": (0.0, 0.364, 1),
    "overall_consistency": (0.0, 0.364, 1),
}
OFFICIAL_QUALITY = tuple(OFFICIAL)[:7]
# Results of four dimensions as the code of vbench 0.1.5 puts them together (vbench/color.py, human_action.py,
# appearance_style.py, temporal_flickering.py). The last is from a run of it, the first of its 375 videos; the others
# are written by hand in that form.
RECORDED = {
    "color": [0.875, [{"video_path": "v/a red car-0.mp4", "video_results": 0.875, "cur_success_frame_rate": 0.875}]],
    "human_action": [
        0.5,
        [
            {"video_path": "v/a person is skiing-0.mp4", "video_results": True, "cor_num_per_video": 1},
            {"video_path": "v/a person is skiing-1.mp4", "video_results": False, "cor_num_per_video": 0},
        ],
    ],
    "appearance_style": [
        0.25,
        [{"video_path": "v/a.mp4", "video_results": 0.25, "frame_results": [0.2, 0.3], "cur_sim": 0.3}],
    ],
    "temporal_flickering": [
        0.9413964619854697,
        [{"video_path": "v/In a still frame, a stop sign-0.mp4", "video_results": 0.9409893522075579}],
    ],
}


def officially(scores: dict[str, float]) -> tuple[float, float, float]:
    """scripts/cal_final_score.py, put in words of our own: weigh each, then divide by the sum of the weights."""
    weighed = {name: (scores[name] - low) / (high - low) * weight for name, (low, high, weight) in OFFICIAL.items()}
    halves = (OFFICIAL_QUALITY, [name for name in OFFICIAL if name not in OFFICIAL_QUALITY])
    quality, semantic = (
        sum(weighed[name] for name in names) / sum(OFFICIAL[name][2] for name in names) for names in halves
    )
    return quality, semantic, (quality * 4 + semantic * 1) / (4 + 1)


def test_the_official_constants():
    assert set(QUALITY) == set(OFFICIAL_QUALITY) and set(DIMENSIONS) == set(OFFICIAL) and len(DIMENSIONS) == 16
    drawn = random.Random(0)
    for _ in range(20):
        scores = {name: drawn.random() for name in OFFICIAL}
        found = aggregate_scores(scores)
        assert (found.quality, found.semantic, found.total) == pytest.approx(officially(scores))


def test_the_official_sums_by_hand():
    assert aggregate_scores(HALF).total == pytest.approx(0.5)
    still = {**HALF, "dynamic_degree": 0.0}
    assert aggregate_scores(still).quality == pytest.approx((6 * 0.5 + 0) / 6.5)
    assert aggregate_scores(still).total == pytest.approx((4 * (3 / 6.5) + 0.5) / 5)
    blue = {**HALF, "color": 1.0}
    assert aggregate_scores(blue).semantic == pytest.approx((8 * 0.5 + 1) / 9)
    assert aggregate_scores({name: HALF[name] for name in QUALITY}).semantic is None
    assert aggregate_scores({name: HALF[name] for name in SEMANTIC}).total is None, "officially it would count as zero"
    with pytest.raises(ValueError, match="no dimension 'colour'"):
        aggregate_scores({"colour": 1.0})


def test_results_are_found_by_file_or_folder(tmp_path):
    places = {"m.default.a": "m/default/a", "m.default.b": "m/default/b"}
    (tmp_path / "m.default.b").mkdir()
    (tmp_path / "m.default.a_eval_results.json").write_text(json.dumps(RECORDED, indent=4))
    for name in ("color", "human_action"):
        text = json.dumps({name: RECORDED[name]}, indent=4)
        (tmp_path / "m.default.b" / f"{name}_eval_results.json").write_text(text)
    found = read_results(tmp_path, places)
    assert found["m/default/a"].dimensions == {name: score for name, (score, _) in RECORDED.items()}
    assert found["m/default/b"].dimensions == {"color": 0.875, "human_action": 0.5}
    with pytest.raises(ValueError, match=r"is named after a setting: call them or their folder x.y"):
        read_results(tmp_path, {"x.y": "x/y"})
    with pytest.raises(ValueError, match="takes the folder VBench wrote to"):
        read_results(tmp_path / "nowhere", places)


@pytest.mark.parametrize(
    ("content", "advice"),
    [
        ("[1]", "is no result of VBench"),
        ('{"color": 0.5}', "is no result of VBench"),
        ('{"color": [0.5, [{"video_pa', "is no result of VBench"),
        ('{"color": [NaN, []]}', "has no score of color: VBench could read none of its videos"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path, content, advice):
    (tmp_path / "a_eval_results.json").write_text(content)
    with pytest.raises(ValueError, match=rf"a_eval_results.json {advice}"):
        read_results(tmp_path, {"a": "a"})


def test_scores_are_put_among_those_that_are_there(tmp_path):
    half = aggregate_scores(HALF)
    save_scores(tmp_path, {"a": half, "b": half})
    save_scores(tmp_path, {"b": VBenchScores({"color": 0.1}, None, None, None)}, {"b": {"vbench": "0.1.5"}})
    found = json.loads((tmp_path / "vbench.json").read_text())
    assert found["a"]["total"] == pytest.approx(0.5) and found["a"]["dimensions"] == HALF
    assert found["b"] == {"dimensions": {"color": 0.1}, "quality": None, "semantic": None, "total": None} | {
        "vbench": "0.1.5"
    }
