"""What the cache costs, in miniature: the figures are there, and those that are no times are right."""

import json

import pytest
from benchmarks.cost import batches, outputs, overhead


def test_both_ways_are_timed_and_what_is_kept_is_counted(tmp_path, capsys):
    overhead.main(["--small", "--rounds", "5", "--json", str(tmp_path / "new" / "cost.json")])
    found = json.loads((tmp_path / "new" / "cost.json").read_text())
    assert [row["calls"] for row in found["micro"]] == [1, 2]
    for row in found["micro"]:
        assert all(row[way] > 0 for way in ("official", "ours", "official decision", "ours decision"))
    kept = found["kept"]
    assert 0 < kept["one stream"] < kept["two streams"] == 2 * kept["two streams, keep_dtype=bfloat16"]
    assert "official decision + reuse" in capsys.readouterr().out


def test_a_whole_run_is_held_against_its_computed_steps(tmp_path):
    overhead.main(["--small", "--rounds", "5", "--run", "--steps", "6", "--json", str(tmp_path / "cost.json")])
    runs = json.loads((tmp_path / "cost.json").read_text())["runs"]
    assert [runs[0]["computed"], runs[-1]["computed"]] == [6, 6] and min(run["computed"] for run in runs) < 6
    plain = (runs[0]["seconds"] + runs[-1]["seconds"]) / 2
    assert all(run["expected"] == pytest.approx(plain * run["computed"] / 6) for run in runs)


def test_batches_are_decided_in_every_way(tmp_path):
    few = ["--samples", "2", "--steps", "8", "--repeats", "1", "--height", "32", "--pixels", "32", "--frames", "5"]
    lines = batches.main([*few, "--threshold", "1e3", "--align-steps", "3", "--out", str(tmp_path / "new" / "b.json")])
    assert [(line.rows, line.computed) for line in lines] == [("none", 1.0), ("call", 0.5), ("sample", 0.5)]
    assert all(line.samples_per_second == pytest.approx(2 / line.seconds, rel=0.01) for line in lines)
    assert len(json.loads((tmp_path / "new" / "b.json").read_text())["lines"]) == 3


@pytest.mark.parametrize(
    ("policy", "kept_more"), [("inertial, speed-up 2", 3), ("inertial, max_error", 2), ("easycache", 2)]
)
def test_a_second_output_adds_no_transfer_and_keeps_a_few_of_its_own_size(policy, kept_more, monkeypatch):
    monkeypatch.setattr(outputs, "VIDEO", (1, 96, 16))
    monkeypatch.setattr(outputs, "SOUND", (1, 80, 16))
    one, two = (outputs.measure_cost(count, "cpu", outputs.POLICIES[policy]) for count in (1, 2))
    assert (one.computed, one.transfers) == (two.computed, two.transfers)
    assert one.numbers < two.numbers < 2 * one.numbers
    assert two.kept - one.kept == kept_more * 80 * 16 * 2
