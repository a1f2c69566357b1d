"""The table of sizes and lengths of the paper's page, from the figures of `navicache report --figures`.

python -m benchmarks.paper.scalability docs/results/paper/scalability.csv
"""

import argparse
import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

Figures = Mapping[str, str]
CACHED = ("NaviCache fast", "NaviCache at 1.86x", "Inertial at 1.86x")
HEADINGS = ("size", "prompts", "plain loop, s", *(f"{name}: steps, loop" for name in CACHED))


def read_figures(path: Path) -> list[Figures]:
    """The rows of the file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def format_markdown(rows: Iterable[Figures]) -> str:
    """One line for each size of each model, in the order of the file."""
    sizes: dict[tuple[str, str], dict[str, Figures]] = {}
    for row in rows:
        sizes.setdefault((row["model"], row["condition"]), {})[row["setting"]] = row
    lines = [" | ".join(HEADINGS), " | ".join(["---"] * len(HEADINGS))]
    for (model, condition), settings in sorted(sizes.items()):
        plain = settings["baseline"]
        cells = [f"`{model}` {condition}", plain["runs"], f"{float(plain['loop_seconds']):.2f}"]
        lines.append(" | ".join([*cells, *(format_run(settings[name]) for name in CACHED)]))
    return "".join(f"| {line} |\n" for line in lines)


def format_run(row: Figures) -> str:
    """Computed steps, and how much faster the loop is by the clock, with its interval."""
    low, high = (float(row[f"loop_speedup_{end}"]) for end in ("low", "high"))
    return (
        f"{float(row['computed']):.1f} of {row['steps']}, {float(row['loop_speedup']):.2f}x ({low:.2f} to {high:.2f})"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path)
    print(format_markdown(read_figures(parser.parse_args(arguments).figures)), end="")


if __name__ == "__main__":
    main()
