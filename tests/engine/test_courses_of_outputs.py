"""What each of several outputs has of its own: branches, rows, damping, amends, errors, references, memory."""

import gc
import math
import weakref

import pytest
import torch
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told
from tests.engine.toys.joint import COMPUTED, THIRDS, guided, runs, sound
from tests.engine.toys.lines import STEPS, latent, line

from navicache.engine import StorageOptions
from navicache.policies import DeadReckoning, Inertial
from navicache.policies.finite_differences import FiniteDifferences

BOTH = pytest.mark.parametrize("rows", [1, 2], ids=["two calls", "one call"])


def jumps(x, t):
    return torch.randn(x.shape[0], 50, generator=torch.Generator().manual_seed(int(t)))


@BOTH
def test_guidance_of_every_output_goes_on_by_its_difference(rows):
    """The branches of the sound are both lines: neither errs, though the line of their difference is its own."""
    joint = lambda x, t, branch: (line(x, t), sound(x, t) * (1 + 2 * branch))  # noqa: E731
    pairs = [*guided(joint, rows)]
    assert all(torch.equal(a[1], b[1]) for a, b in pairs[2 * (3 - rows) :])


@BOTH
def test_a_branch_of_the_sound_that_jumps_leaves_the_other_on_its_line(rows):
    joint = lambda x, t, branch: (line(x, t), sound(x, t)[:, :1] + branch * jumps(x, t))  # noqa: E731
    pairs = [*guided(joint, rows)]
    first = [(a[1][:1], b[1][:1]) for a, b in (pairs if rows == 2 else pairs[::2])]
    assert all(torch.allclose(a, b) for a, b in first[2:])


def test_another_leader_begins_anew_with_every_output():
    """From step 12 on the other branch is called first: what was kept of it were differences."""
    now = {"index": 0, "name": "cond"}
    model = lambda x, t: (line(x, t), sound(x, t) * (2 if now["name"] == "cond" else 3))  # noqa: E731
    cached = engine_for(model, THIRDS, describe_call=told(now, STEPS))
    for now["index"] in range(STEPS):
        for name in ("cond", "uncond") if now["index"] < 12 else ("uncond", "cond"):
            now["name"], x, t = name, latent(now["index"]), float(STEPS - now["index"])
            assert torch.equal(cached(x, t)[1], model(x, t)[1]) or now["index"] in (0, 1, 12, 13)
    assert cached.engine.trace.runs[0].computed < STEPS / 2


def test_every_output_has_a_damping_of_its_own():
    """Sound that jumps is not carried on, while the video goes on along its line."""
    given, true, _ = runs(lambda x, t: (line(x, t), jumps(x, t)), THIRDS)
    held = [true[max(c for c in COMPUTED if c <= i)] for i in range(STEPS)]
    off = [sum((a[1] - b[1]).abs().mean() for a, b in zip(out[8:], true[8:], strict=True)) for out in (given, held)]
    assert off[0] < off[1], "a swing is predicted midway between two values"
    assert all(torch.allclose(a[0], b[0], atol=1e-3) for a, b in zip(given[2:], true[2:], strict=True))


def test_every_output_makes_amends_of_its_own():
    """The sound has a kink at step 3 and the video none: only the sound is owed anything."""

    def model(x, t):
        i = STEPS - round(t)
        return line(x, t), torch.full((1, 2), float(i) if i < 3 else 2.0 * i + 3)

    steps = (0, 1, 2, 4, 7, 8, 10)
    with_them, without = (
        runs(model, Custom(Told("sample", steps=steps), DeadReckoning(amends=made), apart=True))[0]
        for made in (True, False)
    )
    gained = [(a[1] - b[1]).mean().item() for a, b in zip(with_them, without, strict=True)]
    assert gained[:7] == pytest.approx([0] * 5 + [7 * 9 / 24, 0]), "step 4 was missed by 7: see test_amends.py"
    assert all(torch.equal(a[0], b[0]) for a, b in zip(with_them, without, strict=True))


def test_rows_that_decide_apart_have_the_outputs_of_their_own_steps():
    """Sample 1 moves on after sample 0: they compute at different steps, and the sound of each is a line."""

    def model(x, t):
        return torch.sin(x / 7) * x, sound(x, t), x[:, 0, :1] > 0

    given, true, engine = runs(model, Inertial(threshold=0.05), rows=2)
    (run,) = engine.trace.runs
    apart = set(run.computed_steps(0)) ^ set(run.computed_steps(1))
    assert apart, "some calls must be partial"
    for i in range(3, STEPS):
        assert torch.allclose(given[i][1], true[i][1], rtol=1e-4), f"step {i}"
        assert given[i][2].shape == (2, 1)
    assert {step.sample for step in run.steps if step.other_errors} == {0, 1}


@pytest.mark.parametrize("shadow", ["cached", "full"])
def test_shadow_mode_measures_every_output(shadow):
    model = lambda x, t: (line(x, t), torch.sin(sound(x, t) / 9), torch.tensor([round(t)]))  # noqa: E731
    given, true, _ = runs(model, THIRDS)
    made, _, engine = runs(model, THIRDS, shadow=shadow)
    (run,) = engine.trace.runs
    for i in set(range(STEPS)) - set(COMPUTED):
        error = (given[i][1] - true[i][1]).abs().mean() / true[i][1].abs().mean()
        assert run.steps[i].other_errors == {"1": pytest.approx(error.item(), rel=1e-5)}
        assert torch.equal(made[i][1], (given if shadow == "cached" else true)[i][1])


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_useless_sound_is_returned_and_never_carried_on(bad):
    def model(x, t):
        heard = sound(x, t)
        return line(x, t), heard * bad if round(STEPS - t) == 8 else heard

    given, true, engine = runs(model, THIRDS)
    assert [i for i, out in enumerate(given) if not out[1].isfinite().all()] == [8]
    (run,) = engine.trace.runs
    assert run.computed_steps() == tuple(sorted({*COMPUTED, 9, 10})), "until a line can be drawn again"
    assert run.steps[9].reason == "no reference"
    assert any("NaN or infinite" in note for note in run.notes)
    assert all(torch.equal(given[i][1], true[i][1]) for i in range(15, STEPS))


def test_a_forecast_without_transfers_holds_what_never_moved():
    policy = Custom(Told("call", reads=frozenset(), steps=COMPUTED), FiniteDifferences(2))
    model = lambda x, t: (line(x, t), sound(x, t), torch.tensor([[0.1, -math.inf]]))  # noqa: E731
    given, true, _ = runs(model, policy)
    for i in range(8, STEPS):
        assert torch.allclose(given[i][1], true[i][1])
        assert torch.equal(given[i][2], true[i][2])


def test_what_is_returned_may_be_written_to():
    now = {"index": 0, "name": "cond"}
    cached = engine_for(
        lambda x, t: (line(x, t), sound(x, t), torch.full((1, 2), 7.0)), THIRDS, describe_call=told(now, STEPS)
    )
    for now["index"] in range(STEPS):
        _, heard, constant = cached(latent(now["index"]), float(STEPS - now["index"]))
        assert constant.tolist() == [[7, 7]]
        assert now["index"] < 2 or torch.equal(heard, sound(latent(now["index"]), float(STEPS - now["index"])))
        heard.zero_(), constant.zero_()


@pytest.mark.parametrize("keep", [StorageOptions(), StorageOptions(torch.bfloat16), StorageOptions(None, "cpu")])
def test_what_is_kept_of_an_output_that_moves(keep):
    """Two outputs and the last error, as of the first one; nothing of the model's own, and nothing after the run."""
    seen = []

    def model(x, t):
        output = line(x, t), sound(x, t).repeat(1, 100)
        seen.extend(map(weakref.ref, output))
        return output

    now = {"index": 0, "name": "cond"}
    policy = Custom(Told("sample", steps=COMPUTED), DeadReckoning(amends=True), apart=True)
    cached = engine_for(model, policy, keep=keep, describe_call=told(now, STEPS))
    for now["index"] in range(STEPS - 1):
        heard = cached(latent(now["index"]), float(STEPS - now["index"]))[1]
        (output,) = cached.engine.run.additional_outputs.by_path.values()
        stream = output.streams.by_name["cond"]
        kept = [*(y for _, y in stream.history), stream.last_error, output.held["cond"].rows]
        size = sum(chunk.nbytes for rows in kept for chunk in rows)
        most = 3 if now["index"] > 1 else 4  # until it is known to move
        assert size <= most * heard.nbytes / (1 if keep.dtype is None or now["index"] < 2 else 2)
    now["index"] = STEPS - 1
    cached(latent(STEPS - 1), 1.0)
    gc.collect()
    assert [ref() for ref in seen[:-2]] == [None] * (len(seen) - 2)
    assert (output.held, output.streams.by_name) == ({}, {})
