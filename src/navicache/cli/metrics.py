"""`navicache metrics`: score videos and sounds against their references."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from navicache.records import open_atomic_file
from navicache.records.text_table import UNKNOWN_CELL, TextColumn, format_table_lines

FORMATS = {name: ".3f" for name in ("psnr", "psnr_pooled", "audio_snr", "log_spectral_distance")}
HEADINGS = {
    "psnr": "PSNR",
    "psnr_pooled": "PSNR\npooled",
    "ssim": "SSIM",
    "lpips": "LPIPS",
    "audio_snr": "audio\nSNR",
    "log_spectral_distance": "log-spectral\ndistance",
}
LONGEST_NAME = 48


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument(
        "reference", type=Path, metavar="A", help="the reference: a video or sound, or a folder of them"
    )
    other = "what is scored: a video or sound, or a folder with the same names"
    parser.add_argument("other", type=Path, metavar="B", help=other)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures as JSON")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the figures of each video as CSV")


def run(options: argparse.Namespace) -> int:
    """Score the files, print a table, and write the files."""
    from navicache.evaluation.file_comparison import build_json_document, compare_files, format_csv

    for path in filter(None, (options.json, options.csv)):
        if not path.parent.is_dir():
            raise ValueError(f"cannot write {path}: create the folder {path.parent} first")
    scored = list(compare_files(options.reference, options.other))
    print("\n".join(metrics_table(scored)))
    about = {"reference": str(options.reference), "video": str(options.other)}
    documents = {
        options.json: lambda: json.dumps(build_json_document(scored, about), indent=1, allow_nan=False) + "\n",
        options.csv: lambda: format_csv(scored),
    }
    for path, text in documents.items():
        if path is not None:
            with open_atomic_file(path) as file:
                file.write(text().encode())
            print(f"written to {path}")
    return 0


def metrics_table(scored: Sequence[Any]) -> list[str]:
    """A row for each video, the mean with its interval, and why LPIPS may be missing."""
    from navicache.evaluation.file_comparison import estimate_means, list_scores

    means = estimate_means(scored)
    names = [_shorten(video.name) for video in scored]
    columns = [TextColumn("video", [*names, "mean", "95 % from", "95 % to"], is_left_aligned=True)]
    for name in list_scores(scored):
        found, form = means[name], FORMATS.get(name, ".4f")
        ends = [None] * 3 if found is None else [found.mean, found.low, found.high]
        values = (*(each.score(name) for each in scored), *ends)
        cells = [UNKNOWN_CELL if value is None else format(value, form) for value in values]
        columns.append(TextColumn(HEADINGS.get(name, name.replace("_", "\n")), cells))
    missing = dict.fromkeys(f"LPIPS: {why}" for video in scored if (why := video.score("lpips_missing")))
    return [*format_table_lines(columns), *missing]


def _shorten(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
