"""A signal of the gate's own, from step to step."""

import pytest
import torch
from tests.engine.toys.parts import arrived, read

from navicache.engine.decide.signal_history import SignalHistory
from navicache.engine.tensors.device_readings import DeviceReading


def look(watch: SignalHistory, signal: torch.Tensor) -> dict[str, DeviceReading]:
    """Measure a step and take it in."""
    readings = watch.measure_change(signal)
    watch.set_last_signal(signal)
    return readings


def signal(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32).reshape(-1, 1).repeat(1, 3)


def test_changes_since_the_step_before_and_since_the_last_compute():
    watch = SignalHistory(frozenset({"since_seen", "since_computed"}))
    assert look(watch, signal(1)) == {}, "the first step"
    watch.mark_computed()
    both = {"since_seen": [2], "seen_magnitude": [1], "since_computed": [2], "computed_magnitude": [1]}
    assert read(look(watch, signal(3))) == both
    assert read(look(watch, signal(7))) == {
        "since_seen": [4],
        "seen_magnitude": [3],
        "since_computed": [6],
        "computed_magnitude": [1],
    }


def test_only_what_is_read_is_measured():
    watch = SignalHistory(frozenset({"since_computed"}))
    look(watch, signal(1))
    assert look(watch, signal(2)) == {}, "nothing was computed"
    watch.mark_computed()
    assert [*look(watch, signal(5))] == ["since_computed", "computed_magnitude"]


def test_a_signal_of_another_shape_cannot_be_compared():
    watch = SignalHistory(frozenset({"since_seen"}))
    look(watch, signal(1))
    assert look(watch, signal(1, 2)) == {}


def test_relative_changes_are_taken_row_by_row():
    """Rows change by 2 of 1 and by 2 of 4: 1.25 in the mean, not 4 of 5."""
    sizes = SignalHistory(frozenset()).build_step_fields(
        {"since_seen": arrived(2, 2), "seen_magnitude": arrived(1, 4)}, (0, 1)
    )
    assert sizes == {"seen_magnitude": 2.5, "computed_magnitude": None, "relative_change": pytest.approx(1.25)}


def test_released_it_starts_anew():
    watch = SignalHistory(frozenset({"since_seen", "since_computed"}))
    look(watch, signal(1))
    watch.mark_computed()
    watch.release_tensors()
    assert look(watch, signal(9)) == {}
