"""Resumable rows: what was torn is dropped, a resume goes on, settings stay apart."""

import json
from dataclasses import replace

import pytest
from tests.evaluation.bench.toy import PLAN

from navicache.evaluation.bench.jobs import expand_plan, iterate_jobs
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.evaluation.bench.rows import RowFile

FIRST, SECOND, THIRD = (
    {"key": key, "prompt": "Möwe", "psnr": psnr} for key, psnr in (("a", 1.5), ("b", 2.5), ("c", 3))
)


def written(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("left", range(0, 40, 3))
def test_a_line_that_was_interrupted_is_dropped_and_a_resume_goes_on(tmp_path, left):
    path = tmp_path / "rows.jsonl"
    RowFile(path).add(FIRST, SECOND)
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[1])
    torn = whole[: len(whole) - last + left]  # of the second line the first `left` bytes, at times half a letter
    path.write_bytes(torn)
    rows = RowFile(path)
    assert (rows.rows, "a" in rows, "b" in rows) == ([FIRST], True, False)
    assert path.read_bytes() == torn, "reading changes nothing: another process may be writing"
    rows.add(SECOND)
    assert path.read_bytes() == whole
    rows.add(THIRD)
    assert written(path) == RowFile(path).rows == [FIRST, SECOND, THIRD]


def test_a_row_is_written_once_and_a_refused_one_not_at_all(tmp_path):
    rows = RowFile(tmp_path / "rows.jsonl")
    rows.add(FIRST)
    for bad in (FIRST, SECOND, {"key": "d", "psnr": float("nan")}):
        with pytest.raises(ValueError, match=r"finished already|JSON compliant"):
            rows.add(SECOND, bad)
    assert written(rows.path) == rows.rows == [FIRST]
    rows.add(SECOND)
    assert "b" in rows


@pytest.mark.parametrize("line", [b"{}", b"[1]", b'{"key": "a"', b"\xff"])
def test_a_line_that_is_no_row_is_named(tmp_path, line):
    path = tmp_path / "rows.jsonl"
    RowFile(path).add(FIRST)
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(ValueError, match=r"line 2 of .*rows\.jsonl is damaged .* remove that line"):
        RowFile(path)


def test_rows_of_other_settings_are_not_mixed(tmp_path):
    """A changed plan in the same folder: the rows of its old settings stay, and none of them counts as a new one."""
    old = list(iterate_jobs(expand_plan(parse_plan(PLAN), ["a cat"])))
    path = tmp_path / "rows.jsonl"
    RowFile(path).add(*({"key": job.key, "setting": job.setting.name} for job in old))
    rows = RowFile(path)
    assert all(job.key in rows for job in old)
    for job in old:
        changed = [replace(job, setting=replace(job.setting, call={"guidance_scale": 9.0})), replace(job, seed=7)]
        changed.append(replace(job, model=replace(job.model, dtype="bfloat16")))
        assert not any(other.key in rows for other in changed)
