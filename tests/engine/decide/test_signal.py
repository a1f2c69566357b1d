"""A signal of the gate's own, from step to step."""

import pytest
import torch
from tests.engine.toys.parts import arrived, read

from navicache.engine.decide.signal import Watch
from navicache.engine.tensors.fetch import Reading


def look(watch: Watch, signal: torch.Tensor) -> dict[str, Reading]:
    """Measure a step and take it in."""
    readings = watch.measure(signal)
    watch.take(signal)
    return readings


def signal(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32).reshape(-1, 1).repeat(1, 3)


def test_changes_since_the_step_before_and_since_the_last_compute():
    watch = Watch(frozenset({"since_seen", "since_computed"}))
    assert look(watch, signal(1)) == {}, "the first step"
    watch.keep()
    both = {"since_seen": [2], "seen_size": [1], "since_computed": [2], "computed_size": [1]}
    assert read(look(watch, signal(3))) == both
    assert read(look(watch, signal(7))) == {
        "since_seen": [4],
        "seen_size": [3],
        "since_computed": [6],
        "computed_size": [1],
    }


def test_only_what_is_read_is_measured():
    watch = Watch(frozenset({"since_computed"}))
    look(watch, signal(1))
    assert look(watch, signal(2)) == {}, "nothing was computed"
    watch.keep()
    assert [*look(watch, signal(5))] == ["since_computed", "computed_size"]


def test_a_signal_of_another_shape_cannot_be_compared():
    watch = Watch(frozenset({"since_seen"}))
    look(watch, signal(1))
    assert look(watch, signal(1, 2)) == {}


def test_relative_changes_are_taken_row_by_row():
    """Rows change by 2 of 1 and by 2 of 4: 1.25 in the mean, not 4 of 5."""
    sizes = Watch(frozenset()).sizes({"since_seen": arrived(2, 2), "seen_size": arrived(1, 4)}, (0, 1))
    assert sizes == {"seen_size": 2.5, "computed_size": None, "relative_seen": pytest.approx(1.25)}


def test_released_it_starts_anew():
    watch = Watch(frozenset({"since_seen", "since_computed"}))
    look(watch, signal(1))
    watch.keep()
    watch.release()
    assert look(watch, signal(9)) == {}
