"""A real Ray on this machine: the rows of a local run, also when a worker is killed."""

import functools
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from tests.evaluation.bench.toy import main, toy_groups, toy_worker
from tests.support.rows import rows_of

from navicache.evaluation.bench.jobs import iterate_jobs
from navicache.evaluation.bench.ray_executor import MOST_LOSSES, RayExecutor
from navicache.evaluation.bench.session import run_missing_jobs

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
ROOT = Path(__file__).parents[3]
PATIENCE = 120  # seconds until two workers have done four jobs
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are not ours to mend


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Two CPUs, so two workers; they must find these modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{ROOT / 'src'}{os.pathsep}{ROOT}")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
        yield
        ray.shutdown()


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    out = tmp_path_factory.mktemp("local")
    main(out)
    return rows_of(out)


@pytest.fixture
def marks(tmp_path):
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def test_two_workers_give_the_rows_of_one(tmp_path, marks, local):
    out = tmp_path / "out"
    run_missing_jobs(out, toy_groups(), functools.partial(toy_worker, out, 0.05, marks), RayExecutor(workers=2))
    assert rows_of(out) == local
    done = [mark.name.split("-") for mark in marks.iterdir()]
    assert len(done) == len({key for key, _ in done}) == len(local), "every job once"
    assert len({worker for _, worker in done}) == 2, "by two workers"
    owners = {}
    for job in iterate_jobs(toy_groups()):
        owners.setdefault(job.group, set()).update(worker for key, worker in done if key == job.key)
    assert all(len(workers) == 1 for workers in owners.values()), "a group stays with its worker"
    assert not list(out.rglob("*.npy"))


def test_a_killed_worker_loses_nothing(tmp_path, marks, local):
    out = tmp_path / "out"

    def kill_one():
        end = time.monotonic() + PATIENCE
        while len(list(marks.iterdir())) < 4:
            if time.monotonic() > end:
                return  # nobody is killed then, and the last line below says so
            time.sleep(0.01)
        os.kill(int(next(marks.iterdir()).name.split("-")[1]), signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    run_missing_jobs(out, toy_groups(), functools.partial(toy_worker, out, 0.1, marks), RayExecutor(workers=2))
    killer.join(PATIENCE)
    assert rows_of(out) == local
    assert len({mark.name.split("-")[1] for mark in marks.iterdir()}) == 3, "another worker took its place"


def deadly_worker(out):
    def work(batch):
        if batch[0].prompt == "a dog":
            os.kill(os.getpid(), signal.SIGKILL)
        return toy_worker(out)(batch)

    return work


def test_a_job_that_kills_its_workers_is_named(tmp_path):
    with pytest.raises(ValueError, match=f"'a dog' lost {MOST_LOSSES} workers"):
        run_missing_jobs(tmp_path, toy_groups(), functools.partial(deadly_worker, tmp_path), RayExecutor(workers=2))
    assert len(rows_of(tmp_path)) >= 4, "what was finished before is kept"


def failing_worker(out):
    def work(batch):
        raise ValueError(f"no such model: {batch[0].model.model}")

    return work


def test_an_error_of_a_job_comes_through(tmp_path):
    with pytest.raises(ValueError, match=r"^no such model: toy/toy$"):
        run_missing_jobs(tmp_path, toy_groups(), functools.partial(failing_worker, tmp_path), RayExecutor(workers=2))
