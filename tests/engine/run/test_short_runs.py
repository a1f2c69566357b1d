"""What the number of steps of a run means, and what the trace says of it."""

from dataclasses import replace

import pytest
from tests.engine.toys.gates import Every
from tests.engine.toys.parts import scheme

from navicache.engine.run.short_runs import is_too_short, list_length_notes

PRESET = replace(scheme(Every()), min_total_steps=8, few_steps_below=13)


@pytest.mark.parametrize(
    ("total", "align_steps", "words"),
    [(13, 3, ""), (12, 3, "one in four"), (8, None, "one in four"), (7, 3, "hardly one to spare"), (5, 3, "to align")],
)
def test_a_short_run_is_told(total, align_steps, words):
    notes = [*list_length_notes(total, align_steps, PRESET)]
    assert len(notes) == bool(words) and all(words in note for note in notes)
    assert is_too_short(total, align_steps, PRESET) == (total < 8)


def test_an_unknown_length_is_told_where_the_last_step_counts():
    assert not is_too_short(None, 3, PRESET)
    for forces_last in (True, False):
        notes = [*list_length_notes(None, 3, replace(PRESET, computes_last_step=forces_last))]
        assert len(notes) == forces_last
