"""The comparison of all policies in miniature."""

import pytest
import torch

SMALL = [
    "--size",
    "32",
    "--frames",
    "5",
    "--device",
    "cpu",
    "--trained-videos",
    "100",
    "--num-steps",
    "10",
    "--metrics",
]


def test_measured_once_and_told_in_one_table(script, checkpoint, tmp_path, capsys):
    rivals = script("rivals")
    policies = ["--policies", "static", "fewer steps", "firstblockcache", "--prompts", "2", "--timed", "1"]
    common = [*SMALL, "--num-steps", "10", "--checkpoint", str(checkpoint), "--out", str(tmp_path), *policies]
    rivals.main([*common, "--part", "0", "2"])
    rivals.main([*common, "--part", "1", "2"])
    rows = rivals.main(common).rows
    kinds = [row["kind"] for row in rows]
    settings = sum(
        len(script("rivals_curves").CURVES[name].settings) for name in ("static", "fewer steps", "firstblockcache")
    )
    assert kinds.count("quality") == settings
    assert kinds.count("timing") == 3 * (1 + settings)  # in three rounds, with the run of every step
    fewer = [row["computed"] for row in rows if row["policy"] == "fewer steps" and row["kind"] == "quality"]
    assert sorted(fewer) == [3, 3, 4, 5, 7]
    table = capsys.readouterr().out
    assert "| static |" in table
    assert len(rivals.main(common).rows) == len(rows)


@pytest.mark.slow
def test_prompts_that_run_together_come_out_as_each_by_itself(script, checkpoint, tmp_path):
    rivals, curves = script("rivals"), script("rivals_curves").CURVES
    places = ["--checkpoint", str(checkpoint), "--out", str(tmp_path), "--prompts", "3"]
    bench = script("quality_runs").Bench(rivals._options([*SMALL, *places]))
    bench.schedule("UniPC")
    for name, curve in curves.items():
        if curve.together and not curve.calibrated:  # calibrated for the real model's blocks
            value = curve.settings[1]
            steps = curve.steps(value, 12)
            with curve.applied(bench.pipe, value) as cache:
                together, _ = rivals.run_together(bench, steps, cache)
            with curve.applied(bench.pipe, value):
                alone, _, _ = rivals.Stopwatch(bench, steps).run(range(3), "")
            torch.testing.assert_close(together, alone, atol=1e-4, rtol=1e-4, msg=name)


def test_a_speed_out_of_reach_is_said(script):
    points = [{"speedup": s, "psnr": 60 - 10 * s, "ssim": 0.9, "lpips": None} for s in (1.2, 1.6)]
    assert script("rivals")._cell(points, 2.0) == "not reached (1.60x at most)"
    assert script("rivals")._cell(points, 1.4) == "46.00 / 0.9000 / -"
    assert script("rivals")._cell(points, 1.1) == "at 1.20x: 48.00 / 0.9000 / -"


def test_every_policy_of_the_catalog_is_there(script):
    curves = script("rivals_curves").CURVES
    from navicache.policies import POLICIES

    assert {*POLICIES} - {curve.group for curve in curves.values()} == {
        "ema",
        "schedule",
    }  # of ours both: an ablation, and the schedule of inertial


def test_a_line_cut_short_is_dropped(script, tmp_path):
    rows = script("rivals_curves").Rows
    (tmp_path / "results.jsonl").write_text('{"kind": "timing", "policy": "a", "setting": 1}\n{"kind": "ti')
    found = rows(tmp_path, "results.jsonl")
    assert found.has("timing", "a", 1)
    found.add({"kind": "timing", "policy": "b", "setting": 2})
    assert [row["policy"] for row in rows(tmp_path, "results.jsonl").rows] == ["a", "b"]


def test_each_step_counts_with_its_fastest(script, tmp_path):
    rows = script("rivals_curves").Rows(tmp_path, "results.jsonl")
    for laps in ([1.0, 9.0, 1.0], [5.0, 1.0, 1.0]):
        rows.add({"kind": "timing", "policy": "static", "setting": 2.0, "laps": laps, "computed": 2, "timed": 1})
        twice = [2 * lap for lap in laps]
        rows.add({"kind": "timing", "policy": "every step", "setting": 1.0, "laps": twice, "computed": 3, "timed": 1})
    for setting in (2.0, 3.0):
        rows.add({"kind": "quality", "policy": "static", "setting": setting, "each": {"computed": [2, 2]}})
    assert rows.laps("static", 2.0) == [1.0, 1.0, 1.0]
    assert [(point["setting"], point["speedup"]) for point in rows.points("static")] == [(2.0, 2.0)]
    assert rows.laps("random", 1.0) == []


def test_a_prompt_that_computes_less_than_the_others_is_not_their_speed(script, tmp_path):
    """Two prompts of four steps are timed, with one and two computed; all of them compute two in the mean."""
    rows = script("rivals_curves").Rows(tmp_path, "results.jsonl")
    laps = [5.0, 1.0, 1.0, 1.0, 5.0, 5.0, 1.0, 1.0]
    rows.add({"kind": "timing", "policy": "static", "setting": 2.0, "laps": laps, "computed": 3, "timed": 2})
    quality = {"kind": "quality", "policy": "static", "setting": 2.0, "each": {"computed": [1, 2, 2, 3]}}
    assert rows.seconds(quality) == 20 + (4 - 3) * 4
    assert rows.seconds({**quality, "setting": 3.0}) is None
