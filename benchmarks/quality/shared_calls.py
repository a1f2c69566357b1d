"""Run a plan with many settings in each call of the pipeline: the rows of a batch are settings times prompts.

    python -m benchmarks.quality.shared_calls build/ground/plan.toml --only models=wan --out RESULTS/wan

It writes the rows of `navicache bench`, and goes on where it stopped. Settings of one policy that differ by their gate
alone share a call, with one calibration if they have one; every other setting has its own, as in `bench`. Small models
are slow because of the many calls, not because of their rows, so this is several times faster. Rows of a shared call
have no seconds; no video is kept. The metrics are measured on the device of the model, without sound.
"""

import argparse
import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from benchmarks.quality.quick_lpips import load_network, measure_lpips
from benchmarks.quality.rows_apart import tell_rows_apart
from benchmarks.quality.sample_gates import SharedCall
from navicache import enable
from navicache.cli.bench.calibration import measure_calibration
from navicache.cli.bench.job_list import refuse_problems
from navicache.cli.bench.result_files import Baseline, ResultFiles
from navicache.cli.bench.run import parse_options, update_bar
from navicache.cli.bench.worker import PipelineWorker
from navicache.cli.options import parse_positive_int
from navicache.evaluation import measure
from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import JobBatch, JobGroup
from navicache.evaluation.bench.names import slug
from navicache.evaluation.bench.plan import NO_CACHE, BenchPlan, PlanSetting
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.bench.session import PLAN_COPY, run_missing_jobs
from navicache.evaluation.perceptual import LpipsNetwork
from navicache.generation.media import split_samples
from navicache.generation.progress import bar_options
from navicache.generation.timed_calls import NEGATIVE_PROMPTS, TimedOutput
from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import find_model, read_calibration
from navicache.policies import Scheme, build_policy
from navicache.records import open_atomic_file, split_by_sample

ROWS = 128
LPIPS = "lpips"
ONE_TABLE = ("l2p",)  # of the calibrated policies: one predictor for all settings of a series


def find_sharing_key(setting: PlanSetting) -> str | None:
    """What settings of one call have in common; None for a setting that cannot share one."""
    if setting.policy == NO_CACHE or setting.mode or setting.call or setting.calibration or setting.target:
        return None
    if setting.calibrate:  # its scheme is not known before the calibration
        return f"{setting.policy} {setting.series} {setting.calibrate}" if setting.policy in ONE_TABLE else None
    try:
        schemes = build_policy(setting.policy, **setting.knobs).schemes()
    except ValueError:  # it needs what only the model's preset has
        return None
    if len(schemes) != 1 or schemes[0].site != "model" or schemes[0].gate.rows != "sample":
        return None
    without_gate: Any = replace(schemes[0], gate=None, monitor=None)  # pyright: ignore[reportArgumentType]
    return f"{setting.policy} {without_gate}"


def share_calls(group: JobGroup, row_limit: int) -> Iterator[JobBatch]:
    """The same jobs in fewer batches: the baseline, what shares calls, and the rest."""
    shared: dict[str, list[JobBatch]] = {}
    alone: list[JobBatch] = []
    for batch in group[1:]:
        key = find_sharing_key(batch[0].setting) if batch[0].kind == "cached" else None
        (alone if key is None else shared.setdefault(key, [])).append(batch)
    yield group[0]
    for batches in shared.values():
        count = max(1, row_limit // len(batches[0]))
        for start in range(0, len(batches), count):
            yield sum(batches[start : start + count], ())
    yield from alone


@dataclass
class SharedCallWorker(PipelineWorker):
    """Runs batches of several settings too, and measures on the device, with LPIPS' network loaded once."""

    _network: LpipsNetwork | None = None

    def __call__(self, batch: JobBatch) -> list[Row]:
        """Run the jobs in one call, if they can share it, and return their rows."""
        if len({job.setting.name for job in batch}) == 1:
            return super().__call__(batch)
        self._prepare(batch)
        self._pipe.set_progress_bar_config(disable=True)
        try:
            schemes = self._choose_schemes(batch)
        except ValueError:
            return self._run_apart(batch)
        if any(scheme.gate.rows != "sample" for scheme in schemes):  # as this model's preset has it
            return self._run_apart(batch)
        module = find_denoiser(self._pipe)
        with enable(self._pipe, SharedCall(schemes)) as cache, tell_rows_apart(module, len(batch)):
            made = call_for_rows(self._pipe, batch)
        traces = split_by_sample(cache.trace, len(batch))
        rows = self._finish(batch, made, traces, {"batch": len(batch), "peak_memory": None, **self._facts})
        none = {"seconds": None, "plain_seconds": None, "harness_seconds": 0.0}
        return [{**row, "knobs": dict(job.setting.knobs), **none} for row, job in zip(rows, batch, strict=True)]

    def _measure(self, plain: Baseline, made: TimedOutput) -> dict[str, Any]:
        clips = [torch.as_tensor(clip).to(self._device) for clip in (plain.clip, made.media.clip)]
        quality = measure(*clips, [name for name in self.metrics if name != LPIPS])
        if LPIPS not in self.metrics:
            return quality
        self._network = self._network or load_network(self._device)
        return {**quality, "lpips": measure_lpips(self._network, *clips), "lpips_missing": None}

    def _choose_schemes(self, batch: JobBatch) -> tuple[Scheme, ...]:
        module = find_denoiser(self._pipe)
        spec = find_model(type(module).__name__, dict(module.config))
        path = measure_calibration(self._pipe, batch[0], self.out)
        measured = None if path is None else read_calibration(path)
        knobs = (dict(job.setting.knobs) for job in batch)
        options = (CacheOptions(batch[0].setting.policy, calibration=measured, knobs=own) for own in knobs)
        return tuple(choose_policy(each, spec).schemes()[0] for each in options)

    def _run_apart(self, batch: JobBatch) -> list[Row]:
        apart = itertools.groupby(batch, key=lambda job: job.setting.name)
        return [row for _, jobs in apart for row in super(SharedCallWorker, self).__call__(tuple(jobs))]


def call_for_rows(pipe: Any, batch: JobBatch) -> list[TimedOutput]:
    """Call the pipeline with a prompt and a generator for each row."""
    arguments = dict(batch[0].arguments)
    for name in set(NEGATIVE_PROMPTS) & set(arguments):
        arguments[name] = [arguments[name]] * len(batch)
    generators = [torch.Generator().manual_seed(job.seed) for job in batch]
    prompts = [job.prompt for job in batch]
    output = pipe(prompt=prompts, generator=generators, output_type="np", return_dict=False, **arguments)[0]
    return [TimedOutput(media, 0.0, None) for media in split_samples(output)]


def find_denoiser(pipe: Any) -> Any:
    """The module that is called at every step."""
    return pipe.components.get("transformer") or pipe.components["unet"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the unfinished jobs of the plan."""
    options = parse_arguments(arguments)
    plan, groups, wrong = parse_options(options)
    out = choose_folder(options, plan)
    refuse_problems(plan, groups, out, options, wrong)
    return run_groups(plan, groups, out, options, SharedCallWorker)


def choose_folder(options: argparse.Namespace, plan: BenchPlan) -> Path:
    """The folder of the results."""
    part = f" part {options.part}" if options.part else ""
    return (options.out or Path("build/shared_calls") / slug(plan.name + part)).absolute()


def run_groups(
    plan: BenchPlan,
    groups: Sequence[JobGroup],
    out: Path,
    options: argparse.Namespace,
    worker: Callable[..., SharedCallWorker],
) -> int:
    """Run what is not finished."""
    torch.set_float32_matmul_precision("high")
    out.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(out / PLAN_COPY) as file:
        file.write(options.plan.read_bytes())
    shared = [tuple(share_calls(group, options.rows)) for group in groups]
    make_worker = functools.partial(worker, out, ResultFiles(out, 0, 0), plan.metrics)
    with tqdm(desc=plan.name, unit="job", **bar_options()) as bar:
        run_missing_jobs(out, shared, make_worker, run_in_process, functools.partial(update_bar, bar))
    print(f"results in {out}; look at them with: navicache report {out} --summary")
    return 0


def parse_arguments(arguments: Sequence[str] | None, description: str | None = __doc__) -> argparse.Namespace:
    """The options of `bench` that have a meaning here."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("plan", type=Path, metavar="PLAN.toml")
    add("--out", type=Path, help="folder of the results (build/shared_calls/NAME of the plan)")
    add("--prompts", type=parse_positive_int, metavar="N", help="number of prompts, in place of the plan's")
    add("--only", action="append", default=[], metavar="KIND=NAMES", help="as of `navicache bench`; repeatable")
    add("--part", metavar="N/OF", help="every OF-th group from the N-th on, for several processes")
    add("--rows", type=parse_positive_int, default=ROWS, help="of one call (%(default)s)")
    parser.set_defaults(seconds_per_step=None, accuracy=None, ray_address=None, executor="local", workers=None)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
