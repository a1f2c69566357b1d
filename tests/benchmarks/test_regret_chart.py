"""The picture of regrets, from curves that are mental arithmetic."""

import json

from benchmarks.quality.regret_chart import draw_regrets, main
from tests.evaluation.bench.curves import BY_THRESHOLD, INERTIAL, NAVICACHE, plain

from navicache.evaluation.bench.equal_steps import compare_at_budgets, read_cells
from navicache.evaluation.bench.regret import summarise_regrets


def test_a_strip_says_how_many_cells_are_not_reached():
    table = compare_at_budgets(read_cells([*plain(), *INERTIAL, *NAVICACHE, *BY_THRESHOLD]))
    figure = draw_regrets(summarise_regrets(table))
    assert [axes.get_title() for axes in figure.axes] == [
        f"{share} of the steps" for share in ("1/2", "21/50", "17/50", "13/50", "9/50")
    ]
    assert [tick.get_text() for tick in figure.axes[0].get_yticklabels()] == ["T", "I", "N"], "0, 4.3 and 5 dB at worst"
    assert [[text.get_text() for text in axes.texts] for axes in figure.axes] == [[], [], ["1 not reached"], [], []]


def test_results_become_a_picture(tmp_path, capsys):
    rows = [{**row, "key": str(number), "group": ""} for number, row in enumerate([*plain(), *INERTIAL, *NAVICACHE])]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([str(tmp_path), "--out", str(tmp_path / "regret.png")]) == 0
    assert (tmp_path / "regret.png").stat().st_size > 10_000 and capsys.readouterr().out.startswith("2 series")
