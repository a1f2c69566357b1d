"""A worker that takes no time and a plan for it; also a program that measures it, to be killed."""

import functools
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import BenchJob, JobBatch, expand_plan
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.evaluation.bench.session import run_missing_jobs
from navicache.records import open_atomic_file

PLAN = """
name = "toy"
seeds = [0, 1]
prompts = { source = "file", file = "none.txt" }
models = [{ name = "toy", model = "toy/toy", call = { num_inference_steps = 8 } }]
settings = [
    { name = "N", policy = "navicache", sweep = { threshold = [0.05, 0.1] } },
    { name = "half", policy = "none", call = { num_inference_steps = 4 } },
]
"""
PROMPTS = ("a cat", "a dog", "../a")


def toy_groups(batch: int = 1):
    return expand_plan(replace(parse_plan(PLAN), batch=batch), PROMPTS)


def toy_row(job: BenchJob, **more):
    quality = None if job.kind == "baseline" else {"psnr": 20.0 + int(job.key[:2], 16) / 16}
    return {
        "key": job.key,
        "group": job.group,
        "kind": job.kind,
        "setting": job.setting.name,
        "quality": quality,
        **more,
    }


def toy_worker(out: Path, seconds: float = 0.0, marks: Path | None = None):
    """Writes a reference and a file as a real one does; `marks` holds who did what."""

    def work(batch: JobBatch):
        return [do(job) for job in batch]

    def do(job: BenchJob):
        reference = out / job.reference
        if job.kind == "baseline" or not reference.exists():
            reference.parent.mkdir(parents=True, exist_ok=True)
            with open_atomic_file(reference) as file:
                file.write(job.prompt.encode())
        assert reference.read_bytes() == job.prompt.encode()
        time.sleep(seconds)
        if marks is not None:
            (marks / f"{job.key}-{os.getpid()}").write_text("")
        return toy_row(job)

    return work


def main(out: Path, batch: int = 1) -> None:
    run_missing_jobs(out, toy_groups(batch), functools.partial(toy_worker, out, 0.004), run_in_process)


def serve(out: Path, batch: int) -> None:
    """Measure in a new process for every line that comes, and tell its number: imports are paid once."""
    for _ in sys.stdin:
        if not (child := os.fork()):
            main(out, batch)
            os._exit(0)
        print(child, flush=True)
        os.waitpid(child, 0)
        print("over", flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
