"""The page of the paper's studies, with published rows, decision accuracy, overhead and ratio trajectories.

    python -m benchmarks.paper.page RESULTS...                # folders that `navicache bench` wrote

With --figures FILE the figures of Figure 1 are written beside it, as figure1.csv. Plans that name a [chapter] become
chapters of one page; a single plan shows all its sections.
"""

import argparse
import functools
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.paper.chapters import PUBLISHED, build_chapters, has_chapters
from benchmarks.paper.decisions import accuracy_csv
from benchmarks.paper.sections import PAPER_SECTIONS
from navicache.cli.report.command import add_page_options, write_report
from navicache.cli.report.page import PageOptions, build_page
from navicache.cli.report.results import BenchResults
from navicache.records import open_atomic_file
from navicache.report.page_model import ReportPage

MODULE = "benchmarks.paper.page"
FIGURE_1 = "figure1.csv"


def build_paper_page(results: BenchResults, parts: Sequence[BenchResults], options: PageOptions) -> ReportPage:
    """Chapters if every plan describes one, otherwise one page of all results."""
    if has_chapters(parts):
        return build_chapters(parts, options)
    page = build_page(results, options, PAPER_SECTIONS)
    return replace(page, footer=(*page.footer, PUBLISHED))


def write_figure_1(
    figures: Path | None, results: BenchResults, parts: Sequence[BenchResults], options: PageOptions
) -> ReportPage:
    """Build the page, and write the decision accuracy beside the file of all figures."""
    if figures:
        with open_atomic_file(figures.with_name(FIGURE_1)) as file:
            file.write(accuracy_csv(parts).encode())
    return build_paper_page(results, parts, options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; returns the exit status."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__, formatter_class=form)
    add_page_options(parser)
    options = parser.parse_args(arguments)
    try:
        return write_report(options, functools.partial(write_figure_1, options.figures))
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    sys.exit(main())
