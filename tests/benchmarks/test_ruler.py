"""The ruler, by mental arithmetic: two models, one of them with two settings."""

import json

import pytest
from benchmarks.quality.lpips_by_psnr import format_bins, sort_into_bins
from benchmarks.quality.regret import main
from benchmarks.quality.ruler import Verdict, cut_psnr, judge, load_figures, read_figures, turn_lpips, write_figures
from benchmarks.quality.ruler_tables import (
    choose_series,
    format_behind_fewer_steps,
    format_by_model,
    format_by_policy,
    format_median_leads,
    format_worst_places,
    order_models,
)
from tests.evaluation.bench.curves import both, plain

HARD = ("wild",)


def measure(cell, series, policy, psnr, lpips=None, **knobs):
    """Half of twelve steps, on two prompts."""
    name = f"{series} 6"
    rows = both(name, *((6, figure) for figure in psnr), series=series, policy=policy, cell=cell, knobs=knobs)
    for row, distance in zip(rows, lpips or (), strict=False):
        row["quality"]["lpips"] = distance
    return rows


A, B, C = ("easy", "one"), ("easy", "two"), ("wild", "one")
ROWS = [
    *plain(cell=A),
    *measure(A, "Inertial", "inertial", (44.0, 50.0), (0.02, 0.04)),  # 47; cut 44 and 45
    *measure(A, "list sigma", "schedule", (60.0, 52.0), (0.01, 0.03)),  # 56; cut 45
    *measure(A, "fewer steps", "none", (41.0, 41.0), (0.1, 0.1)),
    *plain(cell=B),
    *measure(B, "Inertial", "inertial", (40.0, 42.0)),
    *measure(B, "list sigma", "schedule", (44.0, 42.0)),  # 2 dB more
    *measure(B, "list even", "schedule", (30.0, 30.0)),
    *plain(cell=C),
    *measure(C, "Inertial", "inertial", (30.0, 20.0)),
    *measure(C, "list sigma", "schedule", (36.0, 26.0)),  # 6 dB more
    *measure(C, "NaviCache", "navicache", (31.0, 19.4), threshold=0.1),
    *measure(C, "SeaCache", "seacache", (27.0, 25.0), threshold=0.1),
    *measure(C, "fewer steps", "none", (28.0, 25.0)),
]
OURS = ("inertial", "schedule")


@pytest.fixture
def figures():
    return read_figures(ROWS, OURS)


def find(figures, cell, series):
    (found,) = [each for each in figures if (each.model, each.setting, each.series) == (*cell, series)]
    return found


def test_every_psnr_is_cut_before_it_is_averaged(figures):
    own, best = find(figures, A, "Inertial"), find(figures, A, "list sigma")
    assert (own.share, own.computed, own.prompts, own.role) == ("1/2", 6, 2, "ours")
    assert (own.psnr, own.regret, own.cut, own.cut_regret) == (47, 9, 44.5, 0.5)
    assert (best.psnr, best.regret, best.cut, best.cut_regret) == (56, 0, 45, 0)
    assert ROWS[2]["quality"]["psnr"] == 44.0, "the rows themselves stay"
    assert find(read_figures(ROWS, OURS, 52.0), A, "list sigma").cut == 52, "the ceiling is a parameter"


def test_lpips_stands_beside_where_it_was_measured(figures):
    assert find(figures, A, "Inertial").lpips == pytest.approx(0.03)
    assert find(figures, A, "Inertial").lpips_regret == pytest.approx(0.01)
    assert find(figures, A, "fewer steps").lpips_regret == pytest.approx(0.08)
    assert find(figures, B, "Inertial").lpips is None and find(figures, C, "Inertial").lpips_regret is None


def test_baselines_and_rows_without_a_figure_stay_as_they_are():
    rows = [{"quality": None}, {"quality": {"psnr": None}}, {"quality": {"psnr": 50.0}}]
    assert [row["quality"] for row in cut_psnr(rows, 45.0)] == [None, {"psnr": None}, {"psnr": 45.0}]
    assert [row["quality"] for row in turn_lpips(rows)] == [None, {"psnr": None}, {"psnr": None}]


def test_every_model_counts_once(figures):
    own = [each for each in figures if each.series == "Inertial"]
    assert judge(own, "cut_regret") == (6, pytest.approx(((0.5 + 2) / 2 + 6) / 2), 3)
    assert judge(own, "regret") == (9, pytest.approx(((9 + 2) / 2 + 6) / 2), 3)
    assert judge(own, "lpips") == (pytest.approx(0.03), pytest.approx(0.03), 1)


def test_the_least_regret_is_first_and_only_some_lists_are_shown(figures):
    lines = format_by_policy(figures, "cut_regret").splitlines()
    assert lines[0] == "| over 3 settings | 1/2 |"
    assert lines[2:4] == ["| list sigma | 0.0, 0.0 |", "| Inertial | 6.0, 3.6 |"]
    assert "| NaviCache | 5.8, 5.8 (1) |" in lines, "it was measured in one setting of three"
    names = [line.split(" | ")[0] for line in format_by_policy(figures, "cut_regret", lists=0).splitlines()]
    assert "| list even" in names and "| list sigma" not in names, "the even one is always shown"


def test_of_each_kind_of_list_the_best_are_shown_if_they_have_most_budgets():
    one, two = Verdict(1, 1, 1), Verdict(2, 2, 1)
    found = {
        "Inertial": {"1/2": two, "9/50": two},
        "cost 1.4": {"1/2": two, "9/50": two},
        "cost 1.2": {"1/2": one},
        "published A": {"1/2": two, "9/50": one},
        "published B": {"1/2": two, "9/50": two},
        "list of the last default": {"1/2": two},
    }
    assert choose_series(found, 1) == ["published A", "Inertial", "cost 1.4", "list of the last default"]


def test_hard_models_are_first(figures):
    assert order_models(figures, ("wild", "not measured")) == ["wild", "easy"]
    lines = format_by_model(figures, "cut_regret", HARD).splitlines()
    assert lines[2:] == ["| wild (1) | 6.0, 6.0 |", "| easy (2) | 2.0, 1.2 |"]


def test_where_it_is_worst_says_what_is_better(figures):
    assert format_worst_places(figures, 1).splitlines()[2] == "| wild, one | 6 | 6.0 | 25.0 | 31.0 | list sigma |"


def test_fewer_steps_are_ahead_where_they_are(figures):
    text = format_behind_fewer_steps(figures)
    assert text.startswith("Behind fewer steps by more than 0.5 dB in 1 of 2 places.")
    assert text.splitlines()[-1] == "| wild, one | 6 | -1.5 | 25.0 | 26.5 |"


def test_the_median_is_held_against_every_rival(figures):
    text = format_median_leads(figures, HARD)
    assert text.startswith("Ahead of all in 0 of 1 places, at most 0.5 dB behind in 0.")
    assert text.splitlines()[-1] == "| wild, one | 1/2 | -0.2 | - | **-1.0** | - | - | **-1.5** |"
    easy = format_median_leads([each for each in figures if each.series != "SeaCache"], ("easy",))
    assert easy.startswith("Ahead of all in 1 of 1 places"), "nobody else was measured in the other"


def test_the_file_keeps_what_the_tables_need(figures, tmp_path):
    write_figures(tmp_path / "table.csv", figures)
    lines = (tmp_path / "table.csv").read_text().splitlines()
    assert lines[1] == "easy,one,1/2,6,list sigma,schedule,our other policy,2,56,56,52,0,45,0,0.02,0"
    again = load_figures(tmp_path / "table.csv")
    assert len(again) == len(figures) and find(again, B, "Inertial") == find(figures, B, "Inertial")
    assert format_by_policy(again, "cut_regret") == format_by_policy(figures, "cut_regret")
    assert format_median_leads(again, HARD) == format_median_leads(figures, HARD)


def test_lpips_by_psnr_counts_every_model_once():
    bins = sort_into_bins(ROWS, (40.0, 45.0, 60.0, float("inf")))
    assert [len(each.values) for each in bins] == [3, 2, 1], "40 to 45: 44, 41 and 41"
    bins[0].by_model["wild"].append(0.04)
    lines = format_bins(bins).splitlines()
    assert lines[0] == "| PSNR, dB | videos | LPIPS | a tenth is above | easy | wild |"
    easy = (0.02 + 0.1 + 0.1) / 3
    assert lines[2].startswith(f"| 40-45 | 4 | {(easy + 0.04) / 2:.4f} | ") and lines[2].endswith(
        f"{easy:.4f} | 0.0400 |"
    )
    assert lines[4] == "| 60+ | 1 | 0.0100 | - | 0.0100 | - |"


def test_the_command_prints_from_folders_and_from_its_file(tmp_path, capsys):
    rows = [{**row, "key": str(number), "group": ""} for number, row in enumerate(ROWS)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = tmp_path / "table.csv"
    assert main([str(tmp_path), "--out", str(table), "--hard", "wild"]) == 0
    printed = capsys.readouterr().out
    assert "## Regret of the hard models, worst and mean, dB: PSNR cut at 45 dB, every model counted once" in printed
    assert "| Inertial | 6.0, 3.6 |" in printed and "| 40-45 | 3 |" in printed
    assert main([str(table), "--hard", "wild"]) == 0
    again = capsys.readouterr().out
    assert printed.startswith(again.rstrip("\n")) and "LPIPS by PSNR" not in again
