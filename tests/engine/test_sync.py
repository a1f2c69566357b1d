"""One device sync a step at most, whatever the policy; followers never sync."""

import pytest
import torch
from tests.engine.toys.engines import WHOLE_MODEL, Doubler, engine_for, ramp
from torch.utils._python_dispatch import TorchDispatchMode

from navicache.engine import CallFacts
from navicache.policies import Inertial, NaviCache, Policy, Schedule, Static, build_policy
from navicache.policies.budget import build_schedule
from navicache.policies.noise_levels import build_shifted_levels

READS = {torch.ops.aten._local_scalar_dense.default, torch.ops.aten.equal.default, torch.ops.aten.nonzero.default}


class Reads(TorchDispatchMode):
    """Counts operations that would wait for a device, had the tensors been there."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.count += func in READS
        return func(*args, **(kwargs or {}))


STEPS = 24


def guided_run(policy, describe_call=CallFacts, steps: int = STEPS, rows: int = 1) -> list[tuple]:
    """All calls of a run with two guidance branches: the cached model and its arguments."""
    cached = engine_for(Doubler(), policy, describe_call=describe_call)
    contexts = [torch.zeros(rows, 3), torch.ones(rows, 3)]
    marks = []
    for i, x in enumerate(ramp(steps, rows)):
        for context in contexts:
            marks.append((cached, x, torch.tensor([float(steps - i)]), context))
    return marks


CASES: dict[str, Policy] = {name: build_policy(name, align_steps=3) for name in WHOLE_MODEL}
CASES |= {
    "inertial, each step's error": Inertial(max_error=0.001, align_steps=3),
    "inertial, threshold": Inertial(threshold=1e-5, align_steps=3),
    "schedule": Schedule(speedup=2.0),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("told", [True, False], ids=["index told", "nothing told"])
def test_a_step_syncs_once_and_followers_never(name, told, transfers):
    now = {"index": 0}
    describe_call = (lambda: CallFacts(index=now["index"], total=STEPS, run_token=now)) if told else CallFacts
    marks = guided_run(CASES[name], describe_call, rows=2)
    with Reads() as reads:
        for call, (cached, x, t, context) in enumerate(marks):
            now["index"], before = call // 2, len(transfers)
            cached(x, t, context)
            made = len(transfers) - before
            first_follower = call == 1 and not told  # who the second caller is has to be found out once
            assert made <= (1 if call % 2 == 0 or first_follower else 0), f"call {call}"
    assert reads.count <= len(transfers), "nothing crosses but through the one door"
    (record,) = marks[0][0].engine.trace.runs
    assert 3 < record.computed < record.length == STEPS, "both kinds of step must have been looked at"


ALL = [*range(1, 50)]  # steps at which a policy that decides by data transfers, of a run of 50
LEVELS = build_shifted_levels(50, 3.0)
DEFAULT = {speedup: sorted(build_schedule(LEVELS, round(50 / speedup), 3)) for speedup in (2.0, 3.0)}
COUNTED: dict[str, tuple[Policy, list[int]]] = {
    "default": (Inertial(), [step + 1 for step in DEFAULT[2.0][:-1]]),
    "3x": (Inertial(speedup=3.0), [step + 1 for step in DEFAULT[3.0][:-1]]),
    "schedule": (Schedule(at=(0, 1, 2, 9, 30)), [1, 2, 3, 10, 31]),
    "threshold": (Inertial(threshold=0.05), ALL),
    "max_error": (Inertial(max_error=0.05), ALL),
    "navicache": (NaviCache(), ALL),
    "navicache, by channel": (NaviCache(dimensions="channel"), ALL),
    "easycache": (build_policy("easycache"), ALL),
    "ema": (build_policy("ema"), ALL),
    "static": (Static(), []),
    "random": (build_policy("random"), []),
}


@pytest.mark.parametrize("name", COUNTED)
def test_where_a_run_transfers(name, transfers):
    """A schedule only after a compute: by what that taught the next output is predicted, if it is whole at all."""
    policy, expected = COUNTED[name]
    now, steps = {"index": 0}, []
    facts = {"total": 50, "run_token": now, "read_noise_levels": lambda: LEVELS}
    marks = guided_run(policy, lambda: CallFacts(index=now["index"], **facts), steps=50)
    for call, (cached, x, t, context) in enumerate(marks):
        now["index"], before = call // 2, len(transfers)
        cached(x, t, context)
        steps += [call // 2] * (len(transfers) - before)
    assert steps == expected
    (record,) = marks[0][0].engine.trace.runs
    assert len(transfers) == len(expected) + 1, "the trace brings over what is left"
    unread = not expected or name == "navicache, by channel"
    assert record.column("input_change")[1:].count(None) == (49 if unread else 0), "also of steps that were not fetched"


def test_the_default_is_two_in_three_transfers_less_at_three_times_the_speed():
    assert [len(COUNTED[name][1]) for name in ("threshold", "default", "3x")] == [49, 24, 16]


def test_policies_that_measure_nothing_never_sync_until_asked(transfers):
    now = {"index": 0}
    marks = guided_run(Static(interval=3), lambda: CallFacts(index=now["index"], total=STEPS, run_token=now))
    for call, (cached, x, t, context) in enumerate(marks):
        now["index"] = call // 2
        cached(x, t, context)
    assert transfers == []
    (record,) = marks[0][0].engine.trace.runs
    assert len(transfers) == 1
    assert record.column("measured_ratio")[3] == pytest.approx(2.0)


def test_samples_that_part_still_cross_together(transfers):
    """Two samples of one batch compute at different steps and are predicted with weights of their own."""
    now = {"index": 0}
    policy = Inertial(threshold=0.008, align_steps=3)
    describe_call = lambda: CallFacts(index=now["index"], total=STEPS, run_token=now)  # noqa: E731
    cached = engine_for(lambda x, t: x + torch.sin(x), policy, describe_call=describe_call)
    with Reads() as reads:
        for i in range(STEPS):
            now["index"], before = i, len(transfers)
            x = torch.stack([torch.full((3, 4), 1.0 + 0.05 * i), torch.full((3, 4), 2.0 + 0.3 * i)])
            cached(x, torch.full((2,), float(STEPS - i)))
            assert len(transfers) - before <= 1, f"step {i}"
    assert reads.count <= len(transfers)
    (record,) = cached.engine.trace.runs
    assert record.computed_steps(0) != record.computed_steps(1)
    assert all(3 < len(record.computed_steps(sample)) < STEPS for sample in (0, 1))


def test_the_last_compute_of_a_run_still_reaches_the_trace(transfers):
    marks = guided_run(NaviCache(threshold=0.3, align_steps=2))
    for cached, x, t, context in marks:
        cached(x, t, context)
    engine = marks[0][0].engine
    engine.end_run()
    assert engine.trace.runs[-1].column("measured_ratio")[-1] == pytest.approx(2.0)
