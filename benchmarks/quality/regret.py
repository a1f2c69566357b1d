"""Judge the default: regret with every PSNR cut at a ceiling, every model counted once, hard models first.

    python -m benchmarks.quality.regret RESULTS... --out docs/results/noise-levels/table.csv
    python -m benchmarks.quality.regret docs/results/noise-levels/table.csv

RESULTS are folders of `navicache bench` or `shared_calls`. The file has every series in every setting at every budget;
the same tables can be printed from it, but for LPIPS by PSNR, which needs the videos.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.quality import ruler_tables as tables
from benchmarks.quality.lpips_by_psnr import format_bins, sort_into_bins
from benchmarks.quality.ruler import CEILING, SeriesFigures, load_figures, read_figures, write_figures
from navicache.cli.report.results import read_results

HARD = ("wild", "wan")


def format_page(figures: Sequence[SeriesFigures], hard: Sequence[str], ceiling: float, lists: int) -> Iterator[str]:
    """All tables, each under its heading."""
    of_hard = [each for each in figures if each.model in hard]
    cut = f"PSNR cut at {ceiling:g} dB, every model counted once"
    if of_hard:
        yield f"## Regret of the hard models, worst and mean, dB: {cut}"
        yield tables.format_by_policy(of_hard, "cut_regret", lists=lists)
    yield f"## Regret of all models, worst and mean, dB: {cut}"
    yield tables.format_by_policy(figures, "cut_regret", lists=lists)
    yield "## By model: cut regret, then uncut, then of LPIPS"
    for name, digits in (("cut_regret", 1), ("regret", 1), ("lpips_regret", 3)):
        yield tables.format_by_model(figures, name, hard, digits)
    yield "## Uncut"
    yield tables.format_by_policy(figures, "regret", lists=lists)
    if any(each.lpips is not None for each in figures):
        yield "## LPIPS, worst and mean, then its regret"
        yield tables.format_by_policy(figures, "lpips", 3, lists)
        yield tables.format_by_policy(figures, "lpips_regret", 3, lists)
    yield "## Where it is worst"
    yield tables.format_worst_places(figures)
    yield "## Against fewer steps"
    yield tables.format_behind_fewer_steps(figures)
    if of_hard:
        yield "## Lead of the median in every hard setting, dB, uncut"
        yield tables.format_median_leads(figures, hard)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables, and write the file."""
    options = parse_arguments(arguments)
    if [path.suffix for path in options.results] == [".csv"]:
        figures, bins = load_figures(options.results[0]), []
    else:
        results = read_results(options.results)
        figures = read_figures(results.rows, results.ours, options.ceiling)
        bins = sort_into_bins(results.rows)
    if not figures:
        raise ValueError("no series reaches a budget: sweep the settings more widely")
    if options.out is not None:
        write_figures(options.out, figures)
    print("\n\n".join(format_page(figures, options.hard, options.ceiling, options.lists)))
    if any(each.values for each in bins):
        print(f"\n## LPIPS by PSNR, every model counted once\n\n{format_bins(bins)}")
    return 0


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help="folders, or an earlier file")
    parser.add_argument("--out", type=Path, help="file of all figures, CSV")
    parser.add_argument("--ceiling", type=float, default=CEILING, help="dB; a file has its own (%(default)g)")
    parser.add_argument("--hard", nargs="+", default=list(HARD), metavar="MODEL", help="(%(default)s)")
    parser.add_argument("--lists", type=int, default=2, help="of each kind in hindsight that are shown (%(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
