"""The quality benchmark in miniature: random weights, few steps, small pictures."""

import json

import pytest
import torch
from diffusers import TaylorSeerCacheConfig

from navicache.pocket.world import captions, draw

SMALL = ["--size", "32", "--frames", "5", "--device", "cpu", "--dtype", "float32", "--trained-videos", "100"]
ONE = ["--schedulers", "UniPC", "--steps", "9", "--prompts", "3", "--batch", "2", "--metrics"]
KNOWN = {  # computed of 12 steps when only the limits of a rival decide
    "seacache-2-1": 5,  # 0, 3, 6, 9, 11
    "seacache-2-5": 8,  # 0 to 4, 7, 10, 11
    "seacache-any-5": 6,
    "taylorseer-1": 9,  # 0 to 4, 6, 8, 10, 11
    "taylorseer-1-lite": 9,
}


@pytest.fixture
def run(script, checkpoint, tmp_path):
    """The benchmark on the small model; gives its rows."""
    places = ["--checkpoint", str(checkpoint), "--out", str(tmp_path)]
    return lambda *arguments: script("quality").main([*SMALL, *ONE, *places, *arguments]).rows


def bench_of(script, checkpoint, tmp_path, *arguments):
    places = ["--checkpoint", str(checkpoint), "--out", str(tmp_path)]
    return script("quality_runs").Bench(script("quality")._options([*SMALL, *ONE, *places, *arguments]))


def test_prompts_are_new_and_tuning_never_sees_the_held_out_ones(script):
    choose = script("quality_runs").choose_prompts
    held_out, tune = choose("held-out", 64, 3000), choose("tune", 256, 3000)
    assert (len(set(held_out)), len(set(tune))) == (64, 256)
    assert not set(held_out) & set(tune)
    assert not set(captions(draw(3000, 2))) & {*held_out, *tune}
    assert choose("held-out", 8, 3000) == held_out[:8]


def test_nothing_reused_is_the_reference_itself(run):
    (row,) = run("--curves", "navicache-5", "--settings", "0")
    assert (row["computed"], row["psnr"], row["each"]["computed"]) == (9, 100, [9, 9, 9])


def test_a_second_run_measures_only_what_is_missing(run, script, tmp_path, monkeypatch):
    asked = ["--curves", "navicache-5", "inertial-5", "--settings", "0.4", "1.6"]
    first = run(*asked)
    assert len({(row["curve"], row["setting"]) for row in first}) == 4
    assert all(5 <= row["computed"] < 9 and 10 < row["psnr"] < 100 for row in first if row["setting"] == 1.6)
    session, measured = script("quality_session").Session, []
    measure = session.measure

    def counted(self, curve, setting):
        measured.append((curve, setting))
        return measure(self, curve, setting)

    monkeypatch.setattr(session, "measure", counted)
    file = tmp_path / "results.jsonl"
    file.write_bytes(file.read_bytes()[:-30])  # the last line was cut short
    again = run(*asked)
    assert measured == [("inertial-5", 1.6)]
    assert again[-1]["each"] == first[-1]["each"]
    assert [json.loads(line) for line in file.read_text().splitlines()] == again
    run("--seconds", "0", "--curves", "navicache-10")
    assert len(measured) == 1


def test_a_renamed_setting_is_not_mixed_with_the_old_one(run, tmp_path):
    run("--curves", "navicache-5", "--settings", "1.6")
    file = tmp_path / "results.jsonl"
    file.write_text(file.read_text().replace('"align_steps": 5', '"align_steps": 6'))
    with pytest.raises(ValueError, match="navicache-5 was measured with"):
        run("--seconds", "0")


@pytest.mark.slow
def test_the_batch_changes_neither_decisions_nor_videos(script, checkpoint, tmp_path):
    found = []
    for batch in ("1", "3"):
        folder = tmp_path / batch
        main = [*SMALL, *ONE, "--checkpoint", str(checkpoint), "--out", str(folder), "--batch", batch]
        found.append(script("quality").main([*main, "--curves", "inertial-5", "--settings", "0.8"]).rows[0]["each"])
    assert found[0]["computed"] == found[1]["computed"]
    assert found[0]["psnr"] == pytest.approx(found[1]["psnr"], abs=0.05)


@pytest.mark.slow
def test_search_metrics_tables_and_plots(run, tmp_path):
    rows = run("--metrics", "ssim", "--curves", "navicache-5", "inertial-5", "--gap", "1", "--schedulers", "Euler")
    assert {row["group"] for row in rows} == {"navicache", "inertial"}
    assert all(0 < row["ssim"] <= 1 and row["lpips"] is None for row in rows)
    assert (tmp_path / "steps_held-out_3_float32_cpu.png").stat().st_size > 10_000
    assert str(tmp_path) not in (tmp_path / "results.jsonl").read_text()


@pytest.mark.slow
def test_rivals_cache_by_the_clock_and_leave_no_trace(script, checkpoint, tmp_path):
    rivals, bench = script("quality_rivals"), bench_of(script, checkpoint, tmp_path)
    watch = rivals.Stopwatch(bench, 12)
    bench.schedule("UniPC")
    plain, seconds, computed = watch.run([0, 1], "")
    assert computed == [12, 12] and min(seconds) > 0
    for name, rival in rivals.RIVALS.items():
        with rivals.cached(bench, name, (rival.settings or (1e3,))[0], 12):
            latents, _, computed = watch.run([0, 1], "")
        assert 1 < computed[0] < 12 and computed[0] == computed[1], name  # nothing is left over from the first prompt
        assert computed[0] == KNOWN.get(name, computed[0]), name
        assert not torch.equal(latents, plain), name
    with rivals.cached(bench, "inertial-lab", 1e3, 12):
        assert watch.run([0], "")[2] == [6]  # 5 to align, and the last
    assert torch.equal(watch.run([0, 1], "")[0], plain)


def test_settings_from_a_file(run, tmp_path):
    lists = tmp_path / "lists.json"
    lists.write_text(json.dumps({"navicache-5": [0.4, 1.6], "inertial": [0.8]}))
    rows = run("--settings-from", str(lists))
    assert [(row["curve"], row["setting"]) for row in rows] == [
        ("navicache-5", 0.4),
        ("navicache-5", 1.6),
        ("inertial", 0.8),
    ]


@pytest.mark.slow
def test_taylorseer_as_it_comes_does_nothing_on_wan(script, checkpoint, tmp_path):
    """The reason why this benchmark gives patterns; once this fails, diffusers' own may serve."""
    bench = bench_of(script, checkpoint, tmp_path)
    bench.schedule("UniPC")
    bench.pipe.transformer.enable_cache(TaylorSeerCacheConfig(cache_interval=4))
    assert script("quality_rivals").Stopwatch(bench, 12).run([0], "")[2] == [12]


@pytest.mark.slow
def test_timed_rows(run, tmp_path):
    rows = run("--only-timed", "--timed", "2", "--curves", "inertial-5", "seacache-2-5", "--settings", "1.6")
    assert [row["kind"] for row in rows] == ["timed"] * 2
    assert all(row["speedup"] == pytest.approx(row["seconds_full"] / row["seconds"]) for row in rows)
    assert (tmp_path / "timed_held-out_2_float32_cpu.png").exists()


@pytest.mark.slow
def test_quality_of_all_prompts_by_the_clock_on_some(run, tmp_path):
    curves = ["--only-timed", "--curves", "inertial", "seacache-2-5", "--settings", "1.6"]
    alone = run(*curves, "--one-by-one")
    assert [(row["kind"], row["prompts"]) for row in alone] == [("one by one", 3)] * 2
    assert not (tmp_path / "bars.md").read_text().startswith("**")  # a speed is not known yet
    rows = run(*curves, "--timed", "1")[2:]
    text = (tmp_path / "bars.md").read_text()
    assert "3 held-out prompts, one at a time, by the clock on 1 of them" in text
    assert "1 held-out prompts, one at a time, by the clock" in text
    for row, all_prompts in zip(rows, alone, strict=True):  # their references were made one by one, and as a batch
        assert row["each"]["psnr"] == pytest.approx(all_prompts["each"]["psnr"][:1], abs=1e-3)
