"""The table of the docs, from the rows that `tests.comfyui.compare` has left: `python -m tests.comfyui.table`."""

import argparse
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from tests.comfyui.rows import SAMPLERS, Row, Rows
from tests.comfyui.search import Tried, nearest

ROWS = Path(__file__).parents[2] / "benchmarks" / "results" / "comfyui"
HEAD = "| sampler | evaluations | computed | NaviCache | computed | EasyCache | difference (lowest to highest) |"


class Pair(NamedTuple):
    """One prompt: ours, and theirs at the nearest count."""

    plain: Row
    ours: Row
    theirs: Row

    @property
    def lead(self) -> float:
        """Decibels that ours is nearer to the uncached run."""
        return (self.ours.psnr or 0.0) - (self.theirs.psnr or 0.0)


def pairs(rows: Rows, sampler: str) -> list[Pair]:
    """Every prompt for which all three are there."""
    found: list[Pair] = []
    for ours in rows.read(sampler, cache="navicache"):
        plain = rows.read(sampler, ours.prompt, "plain")
        scored = {row.setting: row for row in rows.read(sampler, ours.prompt, "easycache") if row.psnr is not None}
        if plain and scored:
            tried = [Tried(row.setting or 0.0, row.evaluations) for row in scored.values()]
            found.append(Pair(plain[0], ours, scored[nearest(tried, ours.evaluations).threshold]))
    return found


def line(sampler: str, found: list[Pair]) -> str:
    """One line of the table: means over the prompts."""
    leads = [pair.lead for pair in found]
    cells = (
        f"`{sampler}`",
        f"{fmean(pair.plain.evaluations for pair in found):g}",
        f"{fmean(pair.ours.evaluations for pair in found):.1f}",
        f"{fmean(pair.ours.psnr or 0.0 for pair in found):.1f} dB",
        f"{fmean(pair.theirs.evaluations for pair in found):.1f}",
        f"{fmean(pair.theirs.psnr or 0.0 for pair in found):.1f} dB",
        f"{fmean(leads):+.1f} dB ({min(leads):+.1f} to {max(leads):+.1f})",
    )
    return f"| {' | '.join(cells)} |"


def main(argv: list[str] | None = None) -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROWS)
    rows = Rows(parser.parse_args(argv).folder)
    print(HEAD, "|---|---|---|---|---|---|---|", sep="\n")
    for sampler in SAMPLERS:
        if found := pairs(rows, sampler):
            print(line(sampler, found), f"<!-- {len(found)} prompts -->")


if __name__ == "__main__":
    main()
