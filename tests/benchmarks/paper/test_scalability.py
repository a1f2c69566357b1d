"""The table of sizes on the paper's page."""

from pathlib import Path

from benchmarks.paper.scalability import format_markdown, read_figures

PAPER = Path(__file__).parents[3] / "docs" / "results" / "paper"


def test_the_page_shows_what_the_file_holds():
    table = format_markdown(read_figures(PAPER / "scalability.csv"))
    assert table in (PAPER / "README.md").read_text(encoding="utf-8")
    assert len(table.splitlines()) == 2 + 12, "all sizes of the plan"


def test_a_size_is_one_line_with_intervals():
    plain = {"model": "a", "condition": "9f", "setting": "baseline", "runs": "4", "loop_seconds": "2"}
    cached = {"computed": "5", "steps": "10", "loop_speedup": "1.5", "loop_speedup_low": "1", "loop_speedup_high": "2"}
    rows = [plain, *({**plain, **cached, "setting": name} for name in ("NaviCache fast", "Inertial at 1.86x"))]
    rows.append({**plain, **cached, "setting": "NaviCache at 1.86x", "computed": "6"})
    shown = format_markdown(rows).splitlines()[-1]
    assert shown.startswith("| `a` 9f | 4 | 2.00 | 5.0 of 10, 1.50x (1.00 to 2.00) | 6.0 of 10")
