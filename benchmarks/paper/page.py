"""The page of the paper's studies, with published rows, decision accuracy and ratio trajectories.

    python -m benchmarks.paper.page RESULTS... --decisions FILE --semantics FILE    # RESULTS of `navicache bench`

Plans that name a [chapter] become chapters of one page; a single plan shows all its sections. The files are those of
`python -m benchmarks.cost.decisions` and `python -m benchmarks.paper.semantics`; each adds a chapter.
With --figures FILE the figures of Figure 1 are written beside it, as figure1.csv.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.cost import decision_rows
from benchmarks.paper import semantic_rows
from benchmarks.paper.chapters import PUBLISHED, build_chapters, has_chapters
from benchmarks.paper.decisions import accuracy_csv
from benchmarks.paper.overhead import overhead_section
from benchmarks.paper.sections import PAPER_SECTIONS
from benchmarks.paper.semantic_section import semantic_section
from navicache.cli.report.command import add_page_options, write_report
from navicache.cli.report.page import PageOptions, build_page
from navicache.cli.report.results import BenchResults
from navicache.records import open_atomic_file
from navicache.report.page_model import PageSection, ReportPage

MODULE = "benchmarks.paper.page"
FIGURE_1 = "figure1.csv"


def build_paper_page(results: BenchResults, parts: Sequence[BenchResults], options: PageOptions) -> ReportPage:
    """Chapters if every plan describes one, otherwise one page of all results."""
    if has_chapters(parts):
        return build_chapters(parts, options)
    page = build_page(results, options, PAPER_SECTIONS)
    return replace(page, footer=(*page.footer, PUBLISHED))


def _add_sections(page: ReportPage, sections: Sequence[PageSection]) -> ReportPage:
    return replace(page, sections=(*page.sections, *sections))


def read_sections(decisions: Path | None, semantics: Path | None) -> tuple[PageSection, ...]:
    """The chapters of what no plan measures."""
    overhead = () if decisions is None else (overhead_section(decision_rows.read_csv(decisions)),)
    return (*overhead, *(() if semantics is None else (semantic_section(semantic_rows.read_csv(semantics)),)))


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
    parser.add_argument("--decisions", type=Path, metavar="FILE", help="CSV of `benchmarks.cost.decisions`: a chapter")
    parser.add_argument("--semantics", type=Path, metavar="FILE", help="CSV of `benchmarks.paper.semantics`: a chapter")
    options = parser.parse_args(arguments)
    try:
        more = read_sections(options.decisions, options.semantics)
        return write_report(options, lambda *known: _add_sections(write_figure_1(options.figures, *known), more))
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")


if __name__ == "__main__":
    sys.exit(main())
