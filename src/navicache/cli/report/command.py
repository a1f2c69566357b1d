"""`navicache report`: the results of benchmarks as one page."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from navicache.cli.options import parse_positive_int

PAGE = "report.html"


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    add_page_options(parser)
    summary = "write no page: only the table of all series at equal computed steps, and the leads in it"
    parser.add_argument("--summary", action="store_true", help=summary)
    parser.add_argument("--csv", type=Path, metavar="FILE", help="that table with all its figures, as a file")


def add_page_options(parser: argparse.ArgumentParser) -> None:
    """Options of any page that is made of results."""
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help="folders that `navicache bench` wrote")
    parser.add_argument("--out", type=Path, metavar="FILE", help=f"the page ({PAGE} in the first folder)")
    parser.add_argument("--title", help="of the page (the name of the first plan)")
    players = "prompts of each model and condition that get players and traces; tables count all (%(default)s)"
    parser.add_argument("--players", type=parse_positive_int, default=16, metavar="N", help=players)
    videos = "inside the page, beside it (links into the results), or inside while they are small"
    parser.add_argument("--videos", choices=("auto", "inside", "beside"), default="auto", help=videos)
    figures = "also write the figures of every setting, with intervals, as CSV"
    parser.add_argument("--figures", type=Path, metavar="FILE", help=figures)


def run(options: argparse.Namespace) -> int:
    """Write the page, or print the table at equal computed steps."""
    if options.summary or options.csv:
        return print_equal_steps(options.results, options.csv)
    from navicache.cli.report.page import build_page

    return write_report(options, lambda results, _, look: build_page(results, look))


def write_report(options: argparse.Namespace, build: Callable[[Any, Sequence[Any], Any], Any]) -> int:
    """Write the page that `build` makes of all results, the results of each folder, and the page options."""
    from navicache.cli.report.page import PageOptions
    from navicache.cli.report.results import read_results
    from navicache.report.bench_page import save_page

    path = options.out or options.results[0] / PAGE
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: create the folder {path.parent} first")
    results = read_results(options.results)
    parts = [read_results([folder]) for folder in dict.fromkeys(map(Path.resolve, options.results))]
    look = PageOptions(options.title or results.name, options.players, options.videos, path.parent)
    save_page(build(results, parts, look), path)
    if options.figures:
        write_figures_csv(parts, options.figures)
    print(f"{len(results.rows)} runs of {len(results.summaries)} settings: open {path}")
    return 0


def print_equal_steps(folders: Sequence[Path], csv: Path | None) -> int:
    """Print the table at equal computed steps, and write it as CSV if asked for."""
    from navicache.cli.bench.equal_table import equal_steps_csv, equal_steps_table
    from navicache.cli.report.results import read_results
    from navicache.records import open_atomic_file

    results = read_results(folders)
    lines = equal_steps_table(results.rows, results.ours)
    if not lines:
        ours = results.ours[0]
        raise ValueError(f"no cell has `{ours}` and another policy at the same computed steps: sweep them more widely")
    if csv:
        with open_atomic_file(csv) as file:
            file.write(equal_steps_csv(results.rows, results.ours).encode())
    print("\n".join(lines))
    return 0


def write_figures_csv(parts: Sequence[Any], path: Path) -> None:
    """Write a CSV line for each setting of each plan."""
    from navicache.cli.report.figures_file import figures_csv
    from navicache.records import open_atomic_file

    with open_atomic_file(path) as file:
        file.write(figures_csv(parts).encode())
