"""Kill it whenever you like: the rows in the end are those of an undisturbed run."""

import functools
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.evaluation.bench.toy import main, toy_groups, toy_row, toy_worker
from tests.support.processes import killed_after
from tests.support.rows import rows_of

from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import iterate_jobs
from navicache.evaluation.bench.rows import RowFile
from navicache.evaluation.bench.session import ROWS, lock_folder, run_missing_jobs

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed")
    main(out)
    return rows_of(out)


def test_a_torn_last_line_is_dropped_and_done_again(tmp_path, undisturbed):
    main(tmp_path)
    file = tmp_path / ROWS
    whole = file.read_bytes()
    for cut in (1, 2, 40):
        file.write_bytes(whole[:-cut])
        assert len(RowFile(file).rows) == len(undisturbed) - 1
        assert file.read_bytes() == whole[:-cut], "reading changes nothing"
        main(tmp_path)
        assert rows_of(tmp_path) == undisturbed


def test_a_damaged_line_is_named(tmp_path):
    main(tmp_path)
    lines = (tmp_path / ROWS).read_bytes().splitlines(keepends=True)
    lines[2] = lines[2][:20] + b"\n"
    (tmp_path / ROWS).write_bytes(b"".join(lines))
    with pytest.raises(ValueError, match=r"line 3 of .*rows\.jsonl is damaged"):
        RowFile(tmp_path / ROWS)


def test_nothing_is_done_twice_and_references_go(tmp_path):
    done, told = [], []
    make = functools.partial(toy_worker, tmp_path)

    def counted():
        work = make()
        return lambda batch: (done.extend(job.key for job in batch), work(batch))[1]

    groups = toy_groups()
    run_missing_jobs(tmp_path, groups[:2], counted, run_in_process)
    first = len(done)
    (tmp_path / ".0123.tmp").write_text("left by a killed process")
    run_missing_jobs(tmp_path, groups, counted, run_in_process, lambda *news: told.append(news))
    assert len(done) == len(set(done)) == len(list(iterate_jobs(groups)))
    assert told[0][:2] == (first, len(done)) and told[-1][:2] == (len(done), len(done))
    assert not list(tmp_path.rglob("*.npy")) and not list(tmp_path.rglob("*.tmp"))
    with pytest.raises(ValueError, match="finished already"):
        RowFile(tmp_path / ROWS).add(toy_row(groups[0][0][0]))


def test_a_batch_that_was_cut_short_is_done_again_as_a_whole(tmp_path, undisturbed):
    main(tmp_path, 3)
    lines = (tmp_path / ROWS).read_bytes().splitlines(keepends=True)
    (tmp_path / ROWS).write_bytes(b"".join(lines[:4]))  # the baselines, and one of the first setting's
    done = []

    def counted():
        work = toy_worker(tmp_path)
        return lambda batch: (done.append(len(batch)), work(batch))[1]

    run_missing_jobs(tmp_path, toy_groups(3), counted, run_in_process)
    assert done == [3] * 7 and rows_of(tmp_path) == undisturbed
    assert (tmp_path / ROWS).read_bytes().splitlines(keepends=True)[:4] == lines[:4], "what was there stays"


def test_a_failed_job_loses_no_other(tmp_path, undisturbed):
    def failing():
        work, left = toy_worker(tmp_path), iter(range(5))

        def fail(batch):
            if next(left) == 4:
                raise ValueError("out of luck")
            return work(batch)

        return fail

    with pytest.raises(ValueError, match="out of luck"):
        run_missing_jobs(tmp_path, toy_groups(), failing, run_in_process)
    assert len(rows_of(tmp_path)) == 4
    main(tmp_path)
    assert rows_of(tmp_path) == undisturbed


def test_one_folder_takes_one_benchmark(tmp_path):
    with lock_folder(tmp_path), pytest.raises(ValueError, match="another benchmark writes to"):
        main(tmp_path)


MOST_KILLS = 40
PATIENCE = 240  # seconds for all of them: after that the server is killed, and its next line is missing


@pytest.mark.parametrize("batch", [1, 3])
def test_kill_9_ten_times(tmp_path, undisturbed, batch):
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "tests.evaluation.bench.toy", str(tmp_path), str(batch)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    dice, rows = random.Random(0), tmp_path / ROWS
    with subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) as server, killed_after(server, PATIENCE):
        for kill in range(MOST_KILLS):
            server.stdin.write("go\n")
            child = int(server.stdout.readline())
            slower = 1.2 ** max(0, kill - 9)  # a busy machine takes longer to a first row
            time.sleep(dice.uniform(0.002, 0.03) * slower)
            os.kill(child, signal.SIGKILL)
            assert server.stdout.readline() == "over\n"
            finished = rows.read_bytes().count(b"\n") if rows.exists() else 0
            assert finished < len(undisturbed), f"kill {kill} was in mid-run"
            if kill >= 9 and finished:
                break
        server.stdin.close()
    assert finished > 0 and finished % batch == 0, "a batch's rows come together"
    main(tmp_path, batch)
    assert rows_of(tmp_path) == undisturbed
