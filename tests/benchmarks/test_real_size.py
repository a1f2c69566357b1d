"""The benchmarks of real size, in miniature."""

import json
from pathlib import Path

import pytest
from benchmarks.real_size import compiled, opensora, published, whole_runs


@pytest.mark.slow
def test_modes_are_compared_with_the_uncompiled_one(tmp_path, capsys):
    small = ["--device", "cpu", "--small", "--steps", "6", "--repeat", "1", "--backend", "eager"]
    compiled.main([*small, "--modes", "eager", "regional", "graphs", "--out", str(tmp_path / "new")])
    modes = json.loads((tmp_path / "new" / "compiled.json").read_text())["modes"]
    assert modes["eager"]["computed"] == {"plain": [6], "static": [4], "navicache": [4]}
    assert modes["regional"]["same_computed"] and modes["regional"]["compiled_while_timed"] == 0
    assert len(set(modes["regional"]["graphs_alone"].values())) == 1
    assert modes["graphs"]["skipped"] == "CUDA graphs need --device cuda"
    assert "before compilation" not in capsys.readouterr().out


@pytest.mark.slow
def test_open_sora_is_held_against_its_steps_and_outer_parts(tmp_path):
    small = ["--device", "cpu", "--small", "--sizes", "144p, 51", "--steps", "6", "--align", "2", "--split"]
    rows = opensora.main([*small, "--policies", "navicache blocks", "--out", str(tmp_path / "new" / "rows.json")])
    assert json.loads((tmp_path / "new" / "rows.json").read_text()) == rows
    assert [(row["what"], row["computed"]) for row in rows] == [
        ("no cache", 6),
        ("navicache blocks", 4),
        ("no cache, again", 6),
    ]
    assert rows[1]["reused_step"] < rows[1]["computed_step"]
    assert 0 < rows[0]["outer"] < rows[0]["step"]


@pytest.mark.slow
def test_whole_runs_are_held_against_their_computed_steps(tmp_path):
    rows = tmp_path / "rows.json"
    for model in ("wan 1.3B", "hunyuan", "wan 1.3B"):
        whole_runs.main(["--device", "cpu", "--small", "--steps", "8", "--models", model, "--json", str(rows)])
    found = json.loads(rows.read_text())
    assert [row["model"] for row in found] == ["hunyuan"] * 4 + ["wan 1.3B"] * 4, (
        "measured again, a model has one set of rows"
    )
    assert [row["computed"] for row in found[:4]] == [8, 4, 6, 8]


@pytest.mark.slow
def test_published_sizes_tell_seconds_of_all_steps_from_a_part_of_them(tmp_path):
    small = ["--device", "cpu", "--small", "--steps", "16", "--plain-steps", "4", "--models", "HunyuanVideo"]
    published.main([*small, "--json", str(tmp_path / "rows.json")])
    plain, cached = json.loads((tmp_path / "rows.json").read_text())
    assert (plain["preset"], plain["computed"], plain["measured_steps"]) == (None, 16, 4)
    assert (cached["preset"], cached["computed"], cached["measured_steps"]) == ("mid", 7, 16)
    assert plain["joules"] is None, "a CPU has no such counter"


def test_the_page_of_costs_shows_the_figures_of_published_sizes():
    root = Path(__file__).parents[2]
    rows = json.loads((root / "benchmarks" / "results" / "real_size" / "published.json").read_text())
    assert published.format_markdown(rows) in (root / "docs" / "cost.md").read_text(encoding="utf-8")
