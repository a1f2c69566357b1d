"""`navicache bench`: a plan of models, settings, prompts and seeds, measured; run it again to go on."""

import argparse
import functools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from navicache.cli.values import positive

PLAN_COPY = "plan.toml"
USUAL_POCKET = 64  # prompts of the embedded model's world, which has thousands


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("plan", type=Path, metavar="PLAN.toml", help="what to measure (plans/ has the paper's)")
    parser.add_argument("--out", type=Path, help="folder of the results (outputs/bench/NAME of the plan)")
    parser.add_argument("--executor", choices=("local", "ray"), default="local", help="(%(default)s)")
    parser.add_argument("--workers", type=positive, help="of Ray: one for each GPU, or CPU, unless given")
    parser.add_argument("--ray-address", help="of a running cluster; --out must then lie where every machine sees it")
    parser.add_argument("--prompts", type=positive, metavar="N", help="so many prompts, in place of the plan's count")
    parser.add_argument("--accuracy", type=positive, metavar="N", help="the same for its runs in shadow mode")
    only = "models=, conditions= or settings= and names, with * and commas: these alone; may be given several times"
    parser.add_argument("--only", action="append", default=[], metavar="KIND=NAMES", help=only)
    parser.add_argument("--part", metavar="N/OF", help="every so many-th group, for several processes (--out differs)")
    parser.add_argument("--list", action="store_true", help="only say what would be measured")
    vbench = "take in the scores VBench has written there for the videos of this benchmark"
    parser.add_argument("--vbench-results", type=Path, metavar="DIR", help=vbench)


def run(options: argparse.Namespace) -> int:
    """Measure what is missing, and close with a table."""
    from navicache.evaluation.bench.jobs import expand
    from navicache.evaluation.bench.names import slug
    from navicache.evaluation.bench.plan_file import read_plan
    from navicache.evaluation.bench.rows import RowFile
    from navicache.evaluation.bench.selection import choose, one_part
    from navicache.evaluation.bench.session import ROWS

    plan = called(resized(read_plan(options.plan), options.prompts, options.accuracy))
    part = f" part {options.part}" if options.part else ""
    out = options.out or Path("outputs/bench") / slug(plan.name + part)
    groups = choose(expand(plan, choose_prompts(plan.prompts, options.plan.parent)), options.only)
    if options.part:
        groups = one_part(groups, options.part)
    if options.list:
        print("\n".join(listing(groups)))
        return 0
    if options.vbench_results:
        take_in_vbench(options.vbench_results, out, groups)
    else:
        measure(plan, groups, out, options)
    print("\n".join(closing(RowFile(out / ROWS).rows)))
    print(f"\nresults in {out}; look at them with: navicache report {out}")
    return 0


def listing(groups: Sequence[Any]) -> Iterator[str]:
    """What would be measured: a line a call, and how much it is in all."""
    for batch in (batch for group in groups for batch in group):
        more = f" and {len(batch) - 1} more" if len(batch) > 1 else ""
        yield f"{batch[0].kind:8} {batch[0].place}  {batch[0].prompt}{more}"
    calls = sum(map(len, groups))
    yield f"{sum(len(batch) for group in groups for batch in group)} jobs in {calls} calls"


def closing(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The table of all settings; of batches, which have no times, the one at equal computed steps, if any."""
    from navicache.cli.bench_equal import describe_equal
    from navicache.cli.bench_table import describe
    from navicache.evaluation.bench.study import batched

    equal = describe_equal(rows) if any(batched(row) for row in rows) else []
    return equal or describe(rows)


def measure(plan: Any, groups: Sequence[Any], out: Path, options: argparse.Namespace) -> None:
    """Every job that is not finished, behind one bar."""
    from tqdm import tqdm

    from navicache.cli.bench_files import Shelf
    from navicache.cli.bench_worker import PipelineWorker
    from navicache.cli.checks import check_metrics, check_output
    from navicache.cli.progress import folded
    from navicache.cli.session import each_note_once
    from navicache.evaluation.bench.executors import run_local
    from navicache.evaluation.bench.ray_executor import RayExecutor
    from navicache.evaluation.bench.session import measure as carry_out

    check_output(out)
    check_metrics()
    check_pictures(groups)
    out.mkdir(parents=True, exist_ok=True)
    keep_plan(options.plan, out)
    executor = run_local if options.executor == "local" else RayExecutor(options.workers, options.ray_address)
    with tqdm(desc=plan.name, unit="job", **folded()) as bar, each_note_once():
        place = out.absolute()
        make = functools.partial(PipelineWorker, place, Shelf(place, plan.videos, plan.traces), plan.metrics)
        carry_out(out, groups, make, executor, functools.partial(show, bar))


def check_pictures(groups: Sequence[Any]) -> None:
    """Refuse a picture that cannot be read before the first model is loaded."""
    from navicache.cli.media import open_picture
    from navicache.evaluation.bench.jobs import jobs_of

    for file in {job.arguments["image"] for job in jobs_of(groups) if "image" in job.arguments}:
        open_picture(file)


def show(bar: Any, finished: int, jobs: int, row: dict[str, Any] | None) -> None:
    """Move the bar; jobs of an earlier run do not count for its speed."""
    if row is None:
        bar.total, bar.initial, bar.n = jobs, finished, finished
        bar.refresh()
    else:
        bar.set_postfix_str(f"{row['setting']}: {_news(row)}", refresh=False)
        bar.update(finished - bar.n)


def _news(row: dict[str, Any]) -> str:
    return "computed {computed} of {total}".format(**row["steps"]) if "steps" in row else "not possible on this model"


def keep_plan(path: Path, out: Path) -> None:
    """The plan beside its results, so that they can be made again."""
    from navicache.records import atomic_file

    with atomic_file(out / PLAN_COPY) as file:
        file.write(path.read_bytes())


def resized(plan: Any, prompts: int | None, accuracy: int | None) -> Any:
    """The plan with other numbers of prompts, where they were asked for."""
    counts = replace(plan.prompts, count=prompts or plan.prompts.count)
    return replace(plan, prompts=counts, accuracy=replace(plan.accuracy, prompts=accuracy or plan.accuracy.prompts))


def called(plan: Any) -> Any:
    """The plan with the own call of every `pocket:NAME`, over which what it says itself counts."""
    from navicache.cli.job import POCKET, Source

    def whole(model: Any) -> Any:
        member = None if model.model == POCKET else Source(model.model).member
        return model if member is None else replace(model, call={**member.call, **model.call})

    return replace(plan, models=tuple(whole(model) for model in plan.models))


def choose_prompts(wanted: Any, folder: Path) -> list[str]:
    """The plan's prompts, from wherever it takes them."""
    from navicache.evaluation.bench.prompts import prompts_in_file, vbench_prompts

    if wanted.source == "file" and not wanted.file:
        raise ValueError("prompts.source is 'file': name it with prompts.file")
    sources = {
        "file": lambda: prompts_in_file(folder, wanted.file),
        "vbench": lambda: vbench_prompts(wanted.dimensions),
        "pocket": lambda: _pocket_prompts(wanted.count or USUAL_POCKET),
    }
    found = sources[wanted.source]()
    if wanted.count and len(found) < wanted.count:
        raise ValueError(f"{wanted.count} prompts are asked for, and there are {len(found)}")
    return found[: wanted.count]


def _pocket_prompts(count: int) -> list[str]:
    from navicache.pocket.held_out import choose_prompts as held_out

    return held_out("held-out", count)


def take_in_vbench(folder: Path, out: Path, groups: Sequence[Any]) -> None:
    """VBench's scores of every setting, into the results."""
    import json

    from navicache.evaluation.bench.jobs import jobs_of
    from navicache.evaluation.bench.vbench import read_results
    from navicache.records import atomic_file

    places = {str(job.place).replace("/", "."): str(job.place) for job in jobs_of(groups) if job.kind != "shadow"}
    scores = read_results(folder, places)
    with atomic_file(out / "vbench.json") as file:
        file.write(json.dumps({place: asdict(found) for place, found in scores.items()}, indent=1).encode() + b"\n")
    print(f"VBench's scores of {len(scores)} settings taken in")
