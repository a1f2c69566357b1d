"""Run a plan with many settings in each call of the pipeline: the rows of a batch are settings times prompts.

    python -m benchmarks.quality.shared_calls build/ground/plan.toml --only models=wan --out RESULTS/wan

It takes the options of `navicache bench`, writes the same rows, and goes on where it stopped. Settings of one policy
that differ by their gate alone share a call; every other setting has its own, as in `bench`. Small models are slow
because of the many calls, not because of their rows, so this is several times faster; it measures no seconds.
"""

import argparse
import functools
import inspect
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import torch
from tqdm import tqdm

from navicache import enable
from navicache.cli.bench.command import add_subcommand_options
from navicache.cli.bench.job_list import refuse_problems
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.run import parse_options, update_bar
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import JobBatch, JobGroup
from navicache.evaluation.bench.plan import NO_CACHE, PlanSetting
from navicache.evaluation.bench.rows import Row
from navicache.evaluation.bench.session import run_missing_jobs
from navicache.generation.media import split_samples
from navicache.generation.progress import bar_options
from navicache.generation.timed_calls import NEGATIVE_PROMPTS, TimedOutput
from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import find_model
from navicache.policies import Decision, Gate, Outcome, Scheme, Step, build_policy
from navicache.policies.protocols import Measurement, RowRule, StreamRule
from navicache.records import split_by_sample

NUDGE = 1e-3  # added to one element of a row: the engine takes bit-equal rows for guidance branches of one sample
ROWS = 128


class SampleState(NamedTuple):
    """The state of the sample's own gate, and which sample that is."""

    sample: int
    inner: Any


@dataclass(frozen=True)
class SampleGates:
    """One gate for each sample of a batch, all of one class: until samples are known apart they share a state."""

    streams: StreamRule = field(default="lead", init=False)
    rows: RowRule = field(default="sample", init=False)

    gates: tuple[Gate[Any], ...]

    @property
    def reads(self) -> frozenset[Measurement]:
        """What any of them reads."""
        return frozenset().union(*(gate.reads for gate in self.gates))

    def init(self) -> SampleState:
        """The state of the first."""
        return SampleState(0, self.gates[0].init())

    def decide(self, state: SampleState, step: Step) -> tuple[Decision, SampleState]:
        """As the sample's own gate does."""
        decision, inner = self.gates[step.sample].decide(state.inner, step)
        return decision, SampleState(step.sample, inner)

    def learn(self, state: SampleState, outcome: Outcome) -> SampleState:
        """As the sample's own gate does."""
        return state._replace(inner=self.gates[state.sample].learn(state.inner, outcome))

    def explain(self, state: SampleState) -> dict[str, float]:
        """Show nothing."""
        del state
        return {}


@dataclass(frozen=True)
class SharedCall:
    """A policy for one batch: the scheme of its first sample, with the gate of each."""

    name: ClassVar[str] = "shared call"
    align_steps: ClassVar[int | None] = None

    sample_schemes: tuple[Scheme, ...]

    def schemes(self) -> tuple[Scheme, ...]:
        """The one scheme."""
        gates = SampleGates(tuple(scheme.gate for scheme in self.sample_schemes))
        return (replace(self.sample_schemes[0], gate=gates, monitor=None),)


def find_sharing_key(setting: PlanSetting) -> str | None:
    """What settings of one call have in common; None for a setting that cannot share one."""
    if setting.policy == NO_CACHE or setting.mode or setting.calibration or setting.calibrate:
        return None
    schemes = build_policy(setting.policy, **setting.knobs).schemes()
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
    """Runs batches of several settings too."""

    def __call__(self, batch: JobBatch) -> list[Row]:
        """Run the jobs in one call and return their rows."""
        if len({job.setting.name for job in batch}) == 1:
            return super().__call__(batch)
        self._prepare(batch)
        self._pipe.set_progress_bar_config(disable=True)
        module = find_denoiser(self._pipe)
        spec = find_model(type(module).__name__, dict(module.config))
        options = (CacheOptions(job.setting.policy, knobs=dict(job.setting.knobs)) for job in batch)
        schemes = tuple(choose_policy(each, spec).schemes()[0] for each in options)
        if schemes[0].gate.rows != "sample":  # as this model's preset has it
            apart = itertools.groupby(batch, key=lambda job: job.setting.name)
            return [row for _, jobs in apart for row in super(SharedCallWorker, self).__call__(tuple(jobs))]
        with enable(self._pipe, SharedCall(schemes)) as cache, tell_rows_apart(module, len(batch)):
            made = call_for_rows(self._pipe, batch)
        traces = split_by_sample(cache.trace, len(batch))
        rows = self._finish(batch, made, traces, {"batch": len(batch), "peak_memory": None, **self._facts})
        none = {"seconds": None, "plain_seconds": None, "harness_seconds": 0.0}
        return [{**row, "knobs": dict(job.setting.knobs), **none} for row, job in zip(rows, batch, strict=True)]


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


@contextmanager
def tell_rows_apart(module: torch.nn.Module, samples: int) -> Iterator[None]:
    """Let no two samples have the same bits; guidance branches, stacked, keep theirs."""

    def nudge(latent: torch.Tensor) -> torch.Tensor:
        nudged = latent.clone()
        flat = nudged.view(len(latent), -1)
        rows = torch.arange(len(latent), device=latent.device)
        flat[rows, rows % samples] += NUDGE
        return nudged

    def change_arguments(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        if args:
            return (nudge(args[0]), *args[1:]), kwargs
        return args, {**kwargs, name: nudge(kwargs[name])}

    name = list(inspect.signature(type(module).forward).parameters)[1]  # after self
    handle = module.register_forward_pre_hook(change_arguments, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the unfinished jobs of the plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_subcommand_options(parser)
    parser.add_argument("--rows", type=int, default=ROWS, help="of one call (%(default)s)")
    options = parser.parse_args(arguments)
    plan, groups, wrong = parse_options(options)
    out: Path = (options.out or Path("build/shared_calls")).absolute()
    refuse_problems(plan, groups, out, options, wrong)
    torch.set_float32_matmul_precision("high")
    out.mkdir(parents=True, exist_ok=True)
    (out / "plan.toml").write_bytes(options.plan.read_bytes())
    shared = [tuple(share_calls(group, options.rows)) for group in groups]
    make_worker = functools.partial(SharedCallWorker, out, ResultFiles(out, 0, 0), plan.metrics)
    with tqdm(desc=plan.name, unit="job", **bar_options()) as bar:
        run_missing_jobs(out, shared, make_worker, run_in_process, functools.partial(update_bar, bar))
    print(f"results in {out}; look at them with: navicache report {out} --summary")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
