"""Every output of a model goes on along its own course; decisions are those of the first."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch
from tests.engine.toys.joint import COMPUTED, THIRDS, guided, runs, sound
from tests.engine.toys.lines import STEPS, line

import navicache
from navicache.engine import CannotCache, StorageOptions
from navicache.policies import Inertial, NaviCache, build_policy


@dataclass
class Joint:
    sample: torch.Tensor
    audio_sample: Any


CONTAINERS = {
    "tuple": (lambda y, z: (y, z), lambda out: out[1], "1"),
    "list": (lambda y, z: [y, z], lambda out: out[1], "1"),
    "dict": (lambda y, z: {"sample": y, "audio": {"left": z}}, lambda out: out["audio"]["left"], "audio.left"),
    "dataclass": (lambda y, z: Joint(y, z), lambda out: out.audio_sample, "audio_sample"),
    "list in a dataclass": (lambda y, z: Joint(y, [None, z]), lambda out: out.audio_sample[1], "audio_sample.1"),
}


@pytest.mark.parametrize("name", CONTAINERS)
def test_an_output_that_moves_on_a_line_is_predicted_exactly(name):
    wrap, inside, path = CONTAINERS[name]
    given, true, engine = runs(lambda x, t: wrap(line(x, t), sound(x, t)), THIRDS)
    (run,) = engine.trace.runs
    assert run.computed_steps() == COMPUTED
    assert all(torch.equal(inside(a), inside(b)) for a, b in zip(given[2:], true[2:], strict=True))
    assert {type(out) for out in given} == {type(true[0])}
    errors = [step.other_errors for step in run.steps if step.computed]
    assert errors[0] is None
    assert errors[1][path] == pytest.approx(3 / (3 * (STEPS - 1) + 5), rel=1e-5), "held, with one compute known"
    assert errors[2:] == [{path: 0.0}] * (run.computed - 2)


@pytest.mark.parametrize("wrap", [lambda z: z[0], lambda z: z.sum()], ids=["no batch", "a number"])
def test_an_output_without_a_batch_is_one_row(wrap):
    given, true, _ = runs(lambda x, t: (line(x, t), wrap(sound(x, t))), THIRDS, rows=2)
    samples_decide_apart = [i for i in range(2, STEPS) if not torch.equal(given[i][1], true[i][1])]
    assert samples_decide_apart == [i for i in range(2, STEPS) if i not in COMPUTED], "whose row is it?"
    given, true, _ = runs(lambda x, t: (line(x, t), wrap(sound(x, t))), THIRDS)
    assert all(torch.equal(a[1], b[1]) for a, b in zip(given[2:], true[2:], strict=True))


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_an_output_of_one_number_a_row_goes_on_row_by_row(rows):
    given, true, engine = runs(lambda x, t: (line(x, t), sound(x, t)[:, 0]), THIRDS, rows=rows)
    assert all(torch.equal(a[1], b[1]) for a, b in zip(given[2:], true[2:], strict=True))
    assert engine.trace.runs[0].samples == rows


@pytest.mark.parametrize("keep", [StorageOptions(), StorageOptions(torch.bfloat16)], ids=["as they come", "bfloat16"])
@pytest.mark.parametrize("value", [0.1, float("-inf")])
def test_a_constant_is_held_to_the_bit(value, keep):
    def model(x, t, bias=0.0):
        return line(x, t), torch.full((x.shape[0], 3), value) + bias

    given, true, _ = runs(model, THIRDS, keep=keep)
    assert all(torch.equal(a[1], b[1]) for a, b in zip(given, true, strict=True))
    for rows in (1, 2):  # guidance in two calls, and in one
        for given, true in guided(lambda x, t, branch: model(x, t, 0.2 * branch), rows, keep=keep):
            assert torch.equal(given[1], true[1])


def test_masks_counts_and_words_are_those_of_the_last_compute():
    def model(x, t):
        step = STEPS - round(t)
        return line(x, t), torch.tensor([step]), torch.tensor([[step % 2 == 0]]), step, "words"

    given, _, engine = runs(model, THIRDS)
    last = [max(step for step in COMPUTED if step <= i) for i in range(STEPS)]
    assert [out[1].item() for out in given] == last
    assert [out[2].item() for out in given] == [step % 2 == 0 for step in last]
    assert [out[3:] for out in given] == [(step, "words") for step in last]
    assert all(step.other_errors is None for step in engine.trace.runs[0].steps)


def test_an_output_whose_shape_changes_is_held_from_there_on():
    def model(x, t):
        return line(x, t), sound(x, t)[:, : 3 if t > STEPS - 10 else 2]

    given, true, _ = runs(model, THIRDS)
    assert [out[1].shape for out in given[10:12]] == [(1, 3)] * (11 - 10) + [(1, 2)]
    assert all(torch.equal(given[i][1], true[max(c for c in COMPUTED if c <= i)][1]) for i in range(11, STEPS))


@pytest.mark.parametrize("policy", [NaviCache(threshold=0.3, align_steps=3), build_policy("easycache", threshold=0.2)])
def test_a_policy_that_adds_a_residual_holds_what_has_no_latent(policy):
    given, true, engine = runs(lambda x, t: (line(x, t), sound(x, t)), policy)
    computed = engine.trace.runs[0].computed_steps()
    assert len(computed) < STEPS
    assert all(torch.equal(out[1], true[max(c for c in computed if c <= i)][1]) for i, out in enumerate(given))
    assert engine.trace.runs[0].steps[1].other_errors["1"] > 0


@pytest.mark.parametrize(
    "policy",
    [Inertial(), Inertial(speedup=3.0), Inertial(threshold=0.05), Inertial(max_error=0.01), NaviCache(threshold=0.3)],
    ids=["default", "3x", "threshold", "max_error", "navicache"],
)
def test_decisions_and_the_first_output_are_as_without_the_others(policy, transfers):
    video = lambda x, t: torch.sin(line(x, t) / 300) + x  # noqa: E731
    alone, _, engine = runs(video, policy, rows=2)
    count = len(transfers)
    given, _, other = runs(lambda x, t: (video(x, t), sound(x, t), x > 0), policy, rows=2)
    assert len(transfers) == 2 * count, "what they teach crosses together"
    assert all(torch.equal(a, b[0]) for a, b in zip(alone, given, strict=True))
    assert engine.trace.runs[0].computed_steps(1) == other.trace.runs[0].computed_steps(1)
    assert engine.trace.runs[0].computed < 2 * STEPS


@pytest.mark.parametrize("later", [lambda y, z: (y,), lambda y, z: (y, None), lambda y, z: [y, z], lambda y, z: y])
def test_another_structure_in_mid_run_is_an_error_and_leaves_the_model(later):
    class Model(torch.nn.Module):
        def forward(self, x, t):
            pair = line(x, t), sound(x, t)
            return pair if t > STEPS - 8 else later(*pair)

    model = Model()
    cache = navicache.enable(model, steps=STEPS)
    with pytest.raises(CannotCache, match=r"returned .* after tuple\(0: tensor, 1: tensor\) in the same run"):
        for i in range(STEPS):
            model(torch.full((1, 4, 8), float(i)), float(STEPS - i))
    assert "forward" not in vars(model)
    assert cache.trace.runs[0].computed > 1
    assert type(model(torch.ones(1, 4, 8), 1.0)) is type(later(torch.ones(1), torch.ones(1)))


def test_a_container_that_cannot_be_built_again_is_refused_at_once():
    class Odd(dict):
        def __init__(self):
            super().__init__()

    def model(x, t):
        output = Odd()
        output.update(sample=line(x, t), audio=sound(x, t))
        return output

    with pytest.raises(CannotCache, match="Odd"):
        runs(model, THIRDS)
