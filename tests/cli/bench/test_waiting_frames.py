"""A missing LPIPS is said before, its frames wait, and the same command scores them later."""

import numpy as np
import pytest
from safetensors.torch import save_file
from tests.cli.bench.test_command import PLAN
from tests.support.rows import rows_by_key

from navicache.cli import main
from navicache.cli.bench.waiting_frames import complete_lpips, keep_for_lpips
from navicache.evaluation.bench.rows import RowFile
from navicache.evaluation.lpips_weights import FILE_NAME

LPIPS = PLAN.replace('metrics = ["psnr"]', 'metrics = ["psnr", "lpips"]')


def bench(folder, name="out", text=LPIPS):
    (folder / "prompts.txt").write_text("a red ball moves left\na blue cat\n")
    (folder / "plan.toml").write_text(text)
    assert main(["bench", str(folder / "plan.toml"), "--out", str(folder / name)]) == 0
    return {(row["setting"], row["prompt"]): row["quality"] for row in rows_by_key(folder / name).values()}


def install(weights, home):
    home.mkdir()
    save_file(weights, home / FILE_NAME)


def test_the_scores_are_completed_once_the_weights_are_there(home, weights, tmp_path, capsys):
    before = bench(tmp_path)
    said = capsys.readouterr()
    note = next(line for line in said.err.splitlines() if "LPIPS is missing" in line)
    assert "pip install ./pocket" in note and "metrics = [...]" in note and str(tmp_path / "out" / "frames") in note
    assert said.err.index(note) < said.err.index("12/12"), "before, not after"
    assert "8 videos wait for LPIPS" in said.out
    assert len(list(tmp_path.glob("out/frames/*/*.npy"))) == 8 and len(list(tmp_path.glob("out/references/*"))) == 2
    assert all(quality["lpips"] is None for quality in before.values() if quality)

    install(weights, home)
    after = bench(tmp_path)
    assert not list((tmp_path / "out").rglob("*.npy"))
    assert "wait for LPIPS" not in capsys.readouterr().out
    assert after == bench(tmp_path, "at once"), "the scores of a run that had the weights"
    assert after["static interval=3.0", "a blue cat"]["lpips"] > 0
    rows = (tmp_path / "out" / "rows.jsonl").read_bytes()
    bench(tmp_path)
    assert (tmp_path / "out" / "rows.jsonl").read_bytes() == rows


def test_without_lpips_in_the_plan_nothing_waits_and_nothing_is_said(home, tmp_path, capsys):
    bench(tmp_path, text=PLAN)
    assert "LPIPS" not in capsys.readouterr().err
    assert not list((tmp_path / "out").rglob("*.npy"))


@pytest.mark.parametrize(("size", "kept"), [(30, 0), (31, 1)])
def test_frames_too_small_for_lpips_are_not_kept(size, kept, tmp_path):
    from tests.cli.bench.test_result_files import job

    keep_for_lpips(tmp_path, job(), np.zeros((2, size, 40, 3)), {"lpips": None, "lpips_missing": "why"})
    keep_for_lpips(tmp_path, job(), np.zeros((2, size, 40, 3)), {"psnr": 1.0})
    assert len(list(tmp_path.rglob("*.npy"))) == kept


def rows_with(out, **qualities):
    rows = RowFile(out / "rows.jsonl")
    rows.add(
        *({"key": key, "group": "g", "quality": {"psnr": 1.0, "lpips": found}} for key, found in qualities.items())
    )
    return rows


def kept(out, *keys, reference=True):
    (out / "frames" / "g").mkdir(parents=True)
    (out / "references").mkdir()
    for path in [*(f"frames/g/{key}" for key in keys), *(["references/g"] if reference else [])]:
        np.save(out / f"{path}.npy", np.zeros((2, 40, 40, 3), np.float32))


def test_a_process_killed_between_scores_and_removal_is_finished(home, weights, tmp_path):
    install(weights, home)
    rows = rows_with(tmp_path, scored=0.5, due=None)
    kept(tmp_path, "scored", "due", "torn")
    assert list(complete_lpips(tmp_path, rows, ["g"])) == [1]
    assert [row["quality"]["lpips"] for row in RowFile(tmp_path / "rows.jsonl").rows] == [0.5, 0.0]
    assert [path.name for path in tmp_path.rglob("*.npy")] == ["g.npy"], "the plan may still need the reference"


def test_the_reference_of_a_group_that_left_the_plan_goes_and_a_lost_one_costs_no_frames(home, weights, tmp_path):
    install(weights, home)
    for name, reference in (("there", True), ("lost", False)):
        out = tmp_path / name
        out.mkdir()
        rows = rows_with(out, due=None)
        kept(out, "due", reference=reference)
        assert list(complete_lpips(out, rows, [])) == ([1] if reference else [])
        assert len(list(out.rglob("*.npy"))) == (0 if reference else 1)
