"""Does a video with a cache still show its caption? The reader of the embedded world says so of every method.

    python -m benchmarks.paper.semantics plans/pocket/table1.toml --prompts 64 --out build/semantics --csv FILE
    python -m benchmarks.paper.semantics RESULTS... --csv FILE         # folders of `navicache bench` with their videos
    python -m benchmarks.paper.semantics plans/pocket/table1.toml --prompts 2 --only models=hunyuan --no-rendered

It stands in the place of VBench's semantic score, whose models know no such world. A plan is run with all prompts of a
model in one call (`--batch`), which changes no setting; policies that decide once for a call then decide for all
prompts together, and their rows say so. The exact frames are read. Run it again to go on. "rendered" are the same
captions drawn by the world itself at the same size: what the reader can tell there.
"""

import argparse
import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from benchmarks.paper.caption_scenes import read_captions
from benchmarks.paper.semantic_rows import ATTRIBUTES, SemanticRow, count_right, save_csv, summarise_readings
from benchmarks.training.caption_tables import told
from navicache.cli.bench.job_list import refuse_problems
from navicache.cli.bench.plan_setup import add_embedded_calls, set_prompt_counts
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.run import find_prompts, update_bar
from navicache.cli.bench.worker import PipelineWorker
from navicache.cli.options import parse_positive_int
from navicache.evaluation.bench.executors import run_in_process
from navicache.evaluation.bench.jobs import JobBatch, expand_plan
from navicache.evaluation.bench.plan import ShadowRuns
from navicache.evaluation.bench.plan_file import read_plan
from navicache.evaluation.bench.rows import Row, RowFile
from navicache.evaluation.bench.selection import select_jobs
from navicache.evaluation.bench.session import PLAN_COPY, ROWS, run_missing_jobs
from navicache.evaluation.video_files import read_video
from navicache.generation.progress import bar_options
from navicache.generation.timed_calls import TimedOutput
from navicache.records import Trace, open_atomic_file
from navicache_pocket.reader import BackgroundClassifier, fit_background_classifier, judge_reading, read_videos
from navicache_pocket.world import render_videos

RENDERED, RENDERED_AT_ONCE = "rendered", 8


@dataclass(frozen=True)
class CaptionReader:
    """Reads videos and holds them against their captions."""

    device: str
    classifier: BackgroundClassifier = field(default_factory=fit_background_classifier)

    def read(self, frames: np.ndarray, caption: str) -> dict[str, Any]:
        """What was read in a video (frames, height, width, 3), as bytes or in [0, 1], and whether it is right."""
        return self.judge(self.convert(frames)[None], [caption])[0]

    def convert(self, frames: np.ndarray) -> torch.Tensor:
        """The frames as (3, frames, height, width) in [-1, 1], where videos are read."""
        top = 255 if frames.dtype == np.uint8 else 1
        return torch.as_tensor(frames, device=self.device).float().div(top).movedim(-1, 0) * 2 - 1

    def judge(self, videos: torch.Tensor, captions: Sequence[str]) -> list[dict[str, Any]]:
        """The same of several videos (videos, 3, frames, height, width) in [-1, 1]."""
        scenes = read_captions(captions)
        reading = read_videos(videos, scenes.has_pair.to(videos.device), self.classifier)
        return told(reading, judge_reading(reading, scenes))

    def read_rendered(self, captions: Sequence[str], frames: int, size: int) -> list[dict[str, Any]]:
        """What is read in the captions' own scenes."""
        found: list[dict[str, Any]] = []
        for start in range(0, len(captions), RENDERED_AT_ONCE):
            some = captions[start : start + RENDERED_AT_ONCE]
            found += self.judge(render_videos(read_captions(some).to(self.device), frames, size), some)
        return found


@dataclass
class ReadingWorker(PipelineWorker):
    """Adds to each row what its video shows; the videos of a call are read together."""

    reader: CaptionReader | None = None

    def _finish(self, batch: JobBatch, made: Sequence[TimedOutput], traces: Sequence[Trace], shared: Row) -> list[Row]:
        """Read the exact frames."""
        assert self.reader is not None
        rows = super()._finish(batch, made, traces, shared)
        videos = torch.stack([self.reader.convert(each.media.clip) for each in made])
        found = self.reader.judge(videos, [job.prompt for job in batch])
        return [{**row, "semantics": reading} for row, reading in zip(rows, found, strict=True)]


def run_plan(options: argparse.Namespace, path: Path, reader: CaptionReader) -> list[Row]:
    """Run what is left of the plan, the prompts of a model together, and return the rows of all jobs."""
    plan = add_embedded_calls(set_prompt_counts(read_plan(path), options.prompts, None))
    plan = replace(plan, clock="group", batch=options.batch, metrics=("psnr",), accuracy=ShadowRuns(), videos=0)
    prompts, wrong = find_prompts(plan, path.parent)
    groups = select_jobs(expand_plan(plan, prompts[plan.prompts], prompts), options.only)
    out = options.out.absolute()
    refuse_problems(plan, groups, out, options, wrong)
    out.mkdir(parents=True, exist_ok=True)
    with open_atomic_file(out / PLAN_COPY) as file:
        file.write(path.read_bytes())
    make = functools.partial(ReadingWorker, out, ResultFiles(out, 0, 0), plan.metrics, reader=reader)
    with tqdm(desc=f"{plan.name}, read", unit="job", **bar_options()) as bar:
        return run_missing_jobs(out, groups, make, run_in_process, functools.partial(update_bar, bar)).rows


def read_folder(folder: Path, reader: CaptionReader) -> list[Row]:
    """The rows of a benchmark, with readings of the videos that were kept."""
    rows = RowFile(folder / ROWS).rows
    kept = [row for row in rows if row.get("video") and not row.get("semantics")]
    for row in tqdm(kept, desc=folder.name, unit="video", **bar_options()):
        row["semantics"] = reader.read(read_video(folder / row["video"]), row["prompt"])
    return rows


def summarise_rendered(rows: Sequence[Row], reader: CaptionReader) -> list[SemanticRow]:
    """For each model what the reader tells of the scenes themselves, at its size."""
    found = []
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model and row["kind"] == "baseline" and row.get("semantics")]
        captions, call = list(dict.fromkeys(row["prompt"] for row in own)), own[0]["arguments"]
        readings = reader.read_rendered(captions, call["num_frames"], call["height"])
        shares = count_right([(reading, None) for reading in readings])
        machine = own[0]["machine"]["name"]
        found.append(SemanticRow(machine, model, RENDERED, RENDERED, "prompt", len(captions), None, shares))
    return found


def show(rows: Sequence[SemanticRow]) -> None:
    """One line for each setting, in percent."""
    for row in rows:
        shares: Mapping[str, Any] = row.shares
        cells = (f"{name} {shares[name].right}/{shares[name].asked}" for name in ATTRIBUTES)
        computed = "" if row.computed is None else f"{row.computed:.0%} computed"
        print(f"{row.model:<9} {row.setting:<16} {computed:<14} {', '.join(cells)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read everything, print it and write it."""
    options = parse_arguments(arguments)
    reader = CaptionReader(options.device)
    rows: list[Row] = []
    for path in options.sources:
        rows += run_plan(options, path, reader) if path.suffix == ".toml" else read_folder(path, reader)
    if not any(row.get("semantics") for row in rows):
        print(
            "no video was kept there: run the benchmark with `videos` of all prompts, or give the plan", file=sys.stderr
        )
        return 2
    found = summarise_readings(rows) + (summarise_rendered(rows, reader) if options.rendered else [])
    show(found)
    if options.csv:
        save_csv(options.csv, found)
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add: Any = parser.add_argument
    add("sources", type=Path, nargs="+", metavar="PLAN.toml|RESULTS", help="a plan to run, or folders of results")
    add("--out", type=Path, default=Path("build/semantics"), help="rows of a plan's run (%(default)s)")
    add("--csv", type=Path, metavar="FILE", help="the shares, for the page of the paper's studies")
    add("--prompts", type=parse_positive_int, metavar="N", help="number of prompts, in place of the plan's")
    add("--batch", type=parse_positive_int, default=64, metavar="N", help="prompts in one call (%(default)s)")
    add("--only", action="append", default=[], metavar="KIND=NAMES", help="as of `navicache bench`; repeatable")
    add("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="where videos are read (%(default)s)")
    add("--no-rendered", dest="rendered", action="store_false", help="do not read the scenes themselves")
    parser.set_defaults(seconds_per_step=None, accuracy=None, ray_address=None, executor="local", workers=None)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
