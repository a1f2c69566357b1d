"""Random runs decide as they were recorded; where a change is meant: `python -m tests.engine.recorded --write`."""

import json

import pytest
from tests.engine.recorded import FILE, RUNS, decisions

PLAYS = json.loads(FILE.read_text())


@pytest.mark.parametrize("part", range(5))
def test_decisions_are_those_that_were_recorded(part):
    for play in PLAYS[part::5]:
        assert decisions(play["seed"]) == play, f"seed {play['seed']}"


def test_the_recorded_runs_have_all_that_can_happen():
    """Or they would hold nothing together."""
    assert len(PLAYS) == RUNS
    runs = [run for play in PLAYS for run in play["runs"]]
    letters = set("".join(line for run in runs for line in run["steps"].values()))
    assert letters >= {"A", "L", "G", "g", "S", "s", "F", "f", "N", "T", "-"}
    whys = {run["why"] for run in runs}
    assert whys >= {"first call", "pipeline reset", "new timesteps", "the time went back", "the conditioning changed"}
    notes = " ".join(note for run in runs for note in run["notes"])
    assert all(word in notes for word in ("aligned anew", "NaN or infinite", "stepped aside", "steps is unknown"))
