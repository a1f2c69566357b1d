"""Frames of every setting of a plan below each other, for its first prompt, as in the paper's Figure 3.

    python -m benchmarks.paper.case_sheet plans/pocket/case_study.toml --only models=hunyuan --out build/case_sheet

It writes one JPEG for each model and condition: a row for each setting, with its computed steps, its PSNR, frames from
the first to the last, and the difference of the last frames from those of the run of every step. Calibrations and
thresholds that the plan asks for are measured first, and kept in the folder.
"""

import argparse
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.gallery.pictures import AMPLIFIED, PAPER, enlarge, write_label
from navicache.cli.bench.job_list import refuse_problems
from navicache.cli.bench.result_files import ResultFiles
from navicache.cli.bench.run import parse_options
from navicache.cli.bench.worker import PipelineWorker
from navicache.evaluation.bench.jobs import BenchJob, JobGroup
from navicache.evaluation.bench.names import slug
from navicache.evaluation.bench.rows import REFUSED, Row
from navicache.generation.timed_calls import TimedOutput
from navicache.report.side_by_side import amplify_difference

FRAMES, DIFFERENCES = 4, 2  # in a row
SIDE, GAP, LABEL, LINE, MARGIN = 144, 4, 236, 22, 30  # pixels


@dataclass
class FrameWorker(PipelineWorker):
    """Keeps the frames of the group that it runs, by setting."""

    clips: dict[str, np.ndarray] = field(default_factory=dict[str, np.ndarray])

    def _score(self, job: BenchJob, made: TimedOutput) -> Row:
        if job.kind == "baseline":
            self.clips = {}
        self.clips[job.setting.name] = made.media.clip
        return super()._score(job, made)


def draw_sheet(rows: Sequence[Row], clips: dict[str, np.ndarray], title: str) -> Image.Image:
    """A row of pictures for each setting; the first is the run of every step."""
    tiles = min(FRAMES, len(next(iter(clips.values()))))
    width = LABEL + (tiles + DIFFERENCES) * (SIDE + GAP)
    sheet = Image.new("RGB", (width, MARGIN + len(rows) * (SIDE + GAP)), PAPER)
    write_label(sheet, title, 0, 0)
    reference = clips[rows[0]["setting"]]
    for number, row in enumerate(rows):
        top = MARGIN + number * (SIDE + GAP)
        for line, words in enumerate(describe_row(row)):
            write_label(sheet, words, 0, top + LINE + line * LINE)
        for column, picture in enumerate(pick_pictures(reference, clips[row["setting"]])):
            sheet.paste(enlarge(picture).resize((SIDE, SIDE)), (LABEL + column * (SIDE + GAP), top))
    return sheet


def pick_pictures(reference: np.ndarray, clip: np.ndarray) -> list[np.ndarray]:
    """Frames from the first to the last, then the differences of the last of them."""
    places = np.linspace(0, len(clip) - 1, min(FRAMES, len(clip))).round().astype(int)
    differences = amplify_difference(reference, clip, AMPLIFIED)
    return [clip[place] for place in places] + [differences[place] for place in places[-DIFFERENCES:]]


def describe_row(row: Row) -> list[str]:
    """The words beside a row: setting, computed steps, quality."""
    steps = row["steps"]
    if row["kind"] == "baseline":
        return ["every step computed", f"{steps['total']} steps"]
    computed = f"{steps['computed'] - steps['partial']} of {steps['total']} steps" if steps["total"] else ""
    return [row["setting"], computed, f"{row['quality']['psnr']:.1f} dB"]


def save_sheet(group: JobGroup, worker: FrameWorker, out: Path) -> Path:
    """Run the group's first prompt under every setting, and write the picture."""
    first = group[0][0]
    batches = [batch[:1] for batch in group if batch[0].kind != "shadow"]
    rows = [row for batch in batches for row in worker(batch)]
    for row in rows:
        if row["kind"] == REFUSED:
            print(f"not possible: {row['setting']} on {row['model']}: {row['reason']}")
    shown = [row for row in rows if row["kind"] != REFUSED]
    path = out / f"{slug(first.model.name)}-{slug(first.condition.name)}.jpg"
    title = f"{first.model.name}: {first.prompt}    (right: difference, times {AMPLIFIED:g})"
    draw_sheet(shown, worker.clips, title).save(path, "JPEG", quality=88, subsampling=0, optimize=True)
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a picture for each model and condition of the plan."""
    options = parse_arguments(arguments)
    plan, groups, wrong = parse_options(options)
    out = options.out.absolute()
    refuse_problems(plan, groups, out, options, wrong)
    out.mkdir(parents=True, exist_ok=True)
    worker = FrameWorker(out, ResultFiles(out, 0, 0), ("psnr",))
    places: set[Any] = set()
    for group in groups:
        place = group[0][0].model.name, group[0][0].condition.name
        if place not in places:
            print(save_sheet(group, worker, out), flush=True)
        places.add(place)
    shutil.rmtree(out / "references", ignore_errors=True)
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of `bench` that have a meaning here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", type=Path, metavar="PLAN.toml")
    parser.add_argument("--out", type=Path, default=Path("build/case_sheet"), help="folder (%(default)s)")
    only = "as of `navicache bench`; repeatable"
    parser.add_argument("--only", action="append", default=[], metavar="KIND=NAMES", help=only)
    parser.set_defaults(prompts=1, accuracy=None, part=None, ray_address=None, seconds_per_step=None)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
