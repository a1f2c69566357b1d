"""Write docs/tried-models/README.md from the rows that `navicache tune --share` wrote.

python -m benchmarks.tried_models
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from navicache.records import open_atomic_file

FOLDER = Path("docs/tried-models")
INTRODUCTION = """# Tried models

What [`navicache tune`](../how-to/tune.md) found, on prompts that nothing was chosen on.

To add yours: run `navicache tune --share row.json`, put the file into `docs/tried-models/rows` under a name of your
choice, run `python -m benchmarks.tried_models`, and open a pull request. A row has no prompt, no path and no name.

"""
HEADINGS = (
    *("model", "size", "steps, sampler, guidance", "card", "asked for", "found", "speed-up"),
    *("PSNR", "LPIPS", "default's PSNR", "prompts"),
)
NEEDED = ("model", "size", "steps", "sampler", "guidance", "card", "target", "policy", "speedup", "default", "prompts")


def format_row(row: dict[str, Any]) -> str:
    """One row of the table.

    Example:
        >>> row = {"model": "m", "size": {"height": 64, "width": 48}, "steps": 50, "sampler": "S", "guidance": 5.0,
        ...        "card": "c", "target": "speedup 2", "policy": "schedule", "speedup": 2.0, "psnr": 30.0,
        ...        "lpips": 0.01, "default": {"psnr": 29.0}, "prompts": 8}
        >>> format_row(row)
        '| m | 48x64 | 50, S, 5 | c | speedup 2 | schedule | 2.00 | 30.0 | 0.010 | 29.0 | 8 |'
    """
    size, guidance = row["size"], row["guidance"]
    shown = "x".join(str(size[name]) for name in ("width", "height", "num_frames") if name in size)
    run = f"{row['steps']}, {row['sampler']}" + ("" if guidance is None else f", {guidance:g}")
    psnr, lpips, usual = row.get("psnr"), row.get("lpips"), row["default"].get("psnr")
    figures = [
        "-" if value is None else form.format(value)
        for value, form in ((psnr, "{:.1f}"), (lpips, "{:.3f}"), (usual, "{:.1f}"))
    ]
    cells = [row["model"], shown, run, row["card"], row["target"], row["policy"], f"{row['speedup']:.2f}", *figures]
    return f"| {' | '.join([*cells, str(row['prompts'])])} |"


def write_table(folder: Path) -> int:
    """Write the page of all rows; returns their number."""
    rows = [_read_row(path) for path in sorted((folder / "rows").glob("*.json"))]
    rows.sort(key=lambda row: (row["model"], row["sampler"], row["speedup"]))
    with open_atomic_file(folder / "README.md") as file:
        head = [f"| {' | '.join(HEADINGS)} |", "|---" * len(HEADINGS) + "|"]
        file.write((INTRODUCTION + "\n".join([*head, *map(format_row, rows)]) + "\n").encode())
    return len(rows)


def _read_row(path: Path) -> dict[str, Any]:
    row = json.loads(path.read_text(encoding="utf-8"))
    if missing := [name for name in NEEDED if name not in row]:
        raise ValueError(f"{path} lacks {', '.join(missing)}: write it with `navicache tune --share`")
    return row


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER, help="(%(default)s)")
    options = parser.parse_args(arguments)
    print(f"{write_table(options.folder)} rows in {options.folder / 'README.md'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
