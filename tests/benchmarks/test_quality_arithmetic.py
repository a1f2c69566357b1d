"""The quality benchmark's own arithmetic: interpolation, bars, the file of results."""

import json

import pytest

CONDITION = {
    "kind": "steps",
    "set": "held-out",
    "prompts": 64,
    "scheduler": "UniPC",
    "steps": 50,
    "guidance": 5.0,
    "size": 128,
    "frames": 17,
    "dtype": "bfloat16",
    "device": "cuda",
}


def row(curve, computed, psnr, **more):
    figures = {"setting": 1 / computed, "computed": computed, "psnr": psnr, "ssim": psnr / 100, "lpips": None}
    return {**CONDITION, "curve": curve, "group": curve.split("-")[0], "code": "x", "knobs": {}, **figures, **more}


def line(curve, height, slope=1.0, places=range(8, 37, 2), **more):
    """A curve that is `height` dB at 25 computed steps."""
    return [row(curve, x, height + slope * (x - 25), **more) for x in places]


# -- interpolation ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "gap", "value"),
    [
        (12, 2, 40.0),  # on a point
        (11.5, 2, 37.5),  # three quarters of the way
        (16, 2, None),  # neighbours 8 apart
        (16, 8, 45.0),
        (9.9, 9, None),  # left of all
        (20.1, 9, None),  # right of all
    ],
)
def test_interpolation(script, x, gap, value):
    points = [(20, 50.0), (10, 30.0), (12, 40.0)]
    assert script("quality_bars").at(points, x, gap) == (None if value is None else pytest.approx(value))


def test_of_two_points_at_one_place_the_better_counts(script):
    at = script("quality_bars").at
    assert at([(10, 30.0), (10, 34.0), (12, 40.0)], 10, 2) == 34.0
    assert at([(10, 34.0), (10, 30.0), (12, 40.0)], 11, 2) == 37.0


# -- bars -------------------------------------------------------------------------------------------------------------


def verdicts(script, rows, condition=CONDITION):
    bars = script("quality_bars")
    chart = bars.Chart(rows, "computed", 2.0)
    return {(v["bar"].at, v["rival"]): v for v in bars.judge(bars.STEP_BARS, chart, condition, "inertial-5")}


def rules():
    return [*line("navicache-5", 46), *line("navicache-10", 48, 2.0), *line("easycache-5", 44)]


def test_gains_are_over_the_best_of_a_rival_at_equal_steps(script):
    found = verdicts(script, [*rules(), *line("inertial-5", 53.5)])
    gains = {at: found[at, "navicache"]["gain"] for at in (30, 25, 20, 16, 14)}
    assert gains == pytest.approx({30: 0.5, 25: 5.5, 20: 7.5, 16: 7.5, 14: 7.5})  # align 10 leads from 23 on
    assert found[25, "easycache"]["gain"] == pytest.approx(9.5)
    assert {v["verdict"] for v in found.values()} == {"PASS"}


def test_a_gain_too_small_misses(script):
    found = verdicts(script, [*rules(), *line("inertial-5", 52.9)])
    assert found[25, "navicache"]["verdict"] == "MISS"  # +4.9
    assert found[30, "navicache"]["verdict"] == "MISS"  # -0.1
    assert found[20, "navicache"]["verdict"] == "PASS"


def test_the_point_where_the_paper_falls(script):
    found = verdicts(script, [*rules(), *line("inertial-5", 53.5)])
    fallen = found[None, "navicache"]
    assert fallen["at"] == pytest.approx(12, abs=0.05)  # align 5 is at 33 dB there, align 10 at 22
    assert fallen["gain"] == pytest.approx(7.5)
    high = verdicts(script, [*line("navicache-5", 60), *line("inertial-5", 70)])
    assert high[None, "navicache"]["verdict"] == "not measured"


def test_where_a_better_curve_is_unknown_the_paper_has_not_fallen(script):
    """Align 10 is at 33 dB at 23 computed steps, where align 5 has a gap too wide to judge: it may still be above."""
    rows = [*line("navicache-5", 46, places=(8, 10, 12, 14, 19, 26, 32)), *line("navicache-10", 30)]
    found = verdicts(script, [*rows, *line("inertial-5", 53.5)])
    assert found[None, "navicache"]["at"] < 14.1


def test_another_metric_that_disagrees_misses(script):
    found = verdicts(script, [*rules(), *line("inertial-5", 53.5, ssim=0.1)])
    assert found[20, "navicache"]["verdict"] == "MISS (disagree)"
    worse = [*line("navicache-5", 46, lpips=0.1), *line("inertial-5", 53.5, lpips=0.2)]
    assert verdicts(script, worse)[20, "navicache"]["verdict"] == "MISS (disagree)"
    better = [*line("navicache-5", 46, lpips=0.2), *line("inertial-5", 53.5, lpips=0.1)]
    assert verdicts(script, better)[20, "navicache"]["lpips_gain"] == pytest.approx(0.1)


def test_what_was_not_measured_finely_is_not_judged(script):
    found = verdicts(script, [*rules(), *line("inertial-5", 60, places=(8, 13, 15, 24, 27, 32))])
    judged = {at for (at, rival), v in found.items() if rival == "navicache" and v["verdict"] != "not measured"}
    assert judged == {14}


def test_shorter_runs_have_their_own_bar(script):
    short = {**CONDITION, "steps": 30}
    found = verdicts(script, [*rules(), *line("inertial-5", 51)], short)
    assert list(found) == [(15, "navicache"), (15, "easycache")]


def test_speed_bars_ask_for_more_in_float32(script):
    bars = script("quality_bars")
    speeds = [1.2 + 0.3 * i for i in range(8)]
    rows = [
        row(name, 20, psnr, speedup=speed, setting=speed)
        for name, psnr in (("seacache-2-5", 50), ("taylorseer-1", 51), ("inertial-5", 52))
        for speed in speeds
    ]
    chart = bars.Chart(rows, "speedup", 1.0)
    half = bars.judge(bars.SPEED_BARS, chart, CONDITION, "inertial-5")
    assert [v["verdict"] for v in half] == ["PASS"] * 8
    full = bars.judge(bars.SPEED_BARS, chart, {**CONDITION, "dtype": "float32"}, "inertial-5")
    assert [v["verdict"] for v in full] == ["PASS"] * 8 + ["MISS"] * 4


def test_the_table_names_every_bar(script, tmp_path):
    results = script("quality_rows").Results(tmp_path / "results.jsonl")
    for each in [*rules(), *line("inertial-5", 52.9)]:
        results.add(each)
    text = script("quality_bars").report(results, 2.0)
    assert "UniPC, 50 steps, bfloat16 on cuda, 64 held-out prompts" in text
    assert "| inertial-5 | 25 | navicache | 52.90 | 48.00 | +4.90 | >= +5 | +0.04900 | - | MISS |" in text
    assert "inertial-5: 10 of 12 passed, 0 not measured" in text


# -- results ----------------------------------------------------------------------------------------------------------


def test_a_line_cut_short_was_never_written(script, tmp_path):
    module, path = script("quality_rows"), tmp_path / "results.jsonl"
    results = module.Results(path)
    for each in (row("navicache-5", 20, 40.0), row("navicache-5", 25, 45.0)):
        results.add(each)
    for cut in (1, 40):  # without its newline, and in the middle
        path.write_bytes(path.read_bytes()[:-cut])
        again = module.Results(path)
        assert [r["computed"] for r in again.rows] == [20]
        again.add(row("navicache-5", 25, 45.0))
        assert [json.loads(text)["computed"] for text in path.read_text().splitlines()] == [20, 25]


def test_a_setting_is_written_once(script, tmp_path):
    results = script("quality_rows").Results(tmp_path / "results.jsonl")
    results.add(row("navicache-5", 20, 40.0))
    with pytest.raises(ValueError, match="measured already"):
        results.add(row("navicache-5", 20, 41.0))
    results.add(row("navicache-5", 20, 41.0, dtype="float32"))
    assert len(results.conditions("steps")) == 2


def test_the_speed_of_a_few_prompts_is_put_right_by_their_computed_steps(script, tmp_path):
    """One prompt computes 20 steps in 4 of 10 seconds; all of them compute 25 in the mean, in 5."""
    results = script("quality_rows").Results(tmp_path / "results.jsonl")
    clock = {"kind": "timed", "prompts": 1, "device": "cpu", "setting": 0.1, "rounds": 3, "speedup": None}
    results.add(row("inertial", 25, 50.0, kind="one by one", setting=0.1))
    results.add(row("inertial", 20, 48.0, **clock, seconds=4.0, seconds_full=10.0))
    results.add(row("inertial", 20, 48.0, **{**clock, "setting": 0.2}, seconds=4.0, seconds_full=9.0))  # of no quality
    (found,) = results.with_speed(results.conditions("one by one")[0])
    assert (found["speedup"], found["psnr"], found["timed"]) == (2.0, 50.0, (1, "cpu"))


def test_the_deadline_leaves_room_for_the_longest(script, monkeypatch):
    module, now = script("quality_rows"), [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    deadline = module.Deadline(15)
    assert deadline.room()
    now[0] += 5  # the reference, which will not be needed again
    deadline.begin()
    deadline.lap()
    for taken in (1, 4, 2):  # ends at 12, and 4 more might be needed
        assert deadline.room()
        now[0] += taken
        deadline.lap()
    assert not deadline.room()
    assert module.Deadline(None).room()
