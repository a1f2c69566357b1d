"""A policy that adds a residual adds to every further output, where that has a latent of its own, a residual of it."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told
from tests.engine.toys.joint import COMPUTED, sound
from tests.engine.toys.lines import STEPS, latent, line

from navicache.engine import CannotCache, StorageOptions
from navicache.models import CallSpec
from navicache.policies import DeadReckoning, NaviCache, Policy, ResidualHold, build_policy
from navicache.policies.finite_differences import FiniteDifferences
from navicache.policies.predictors import OutputHold


@dataclass(frozen=True)
class HeldDifferences(Custom):
    """The differences between branches are held."""

    def schemes(self):
        return (replace(super().schemes()[0], difference_predictor=OutputHold()),)


RESIDUAL = Custom(Told("sample", steps=COMPUTED), ResidualHold())
POLICIES = {
    "told": RESIDUAL,
    "no transfers": Custom(Told("call", reads=frozenset(), steps=COMPUTED), ResidualHold()),
    "navicache": NaviCache(threshold=0.3, align_steps=3),
    "easycache": build_policy("easycache", threshold=0.2),
}


def heard(i: int, rows: int = 1) -> torch.Tensor:
    """The second latent: whole numbers, which grow while the first falls."""
    return torch.arange(1.0, 4.0).repeat(rows, 1) * (i + 1) ** 2


def joint(hidden_states, timestep, audio_hidden_states):
    return line(hidden_states, timestep), 2 * audio_hidden_states + sound(hidden_states, timestep)


def runs(policy: Policy, model: Any = joint, rows: int = 1, name: str = "audio_hidden_states", **options: Any):
    """What is returned, what the model would have returned, the second latents, and the engine."""
    now = {"index": 0, "name": "cond"}
    cached = engine_for(model, policy, describe_call=told(now, STEPS), **options)
    given, true, latents = [], [], []
    for now["index"] in range(STEPS):
        i, x = now["index"], torch.cat([latent(now["index"]) * (1 + row) for row in range(rows)])
        latents.append(heard(i, rows))
        given.append(cached(x, float(STEPS - i), **{name: latents[-1].clone()}))
        true.append(model(x, float(STEPS - i), **{name: latents[-1].clone()}))
    return given, true, latents, cached.engine


@pytest.mark.parametrize("name", POLICIES)
def test_what_is_added_is_the_residual_of_its_own_latent(name):
    given, true, latents, engine = runs(POLICIES[name])
    computed = engine.trace.runs[0].computed_steps()
    assert 2 < len(computed) < STEPS
    for i in range(2, STEPS):
        j = max(c for c in computed if c <= i)
        assert torch.allclose(given[i][1], latents[i] + (true[j][1] - latents[j]))


@pytest.mark.parametrize("name", POLICIES)
def test_the_decisions_and_the_first_output_are_as_without_it(name):
    firsts, _, _, alone = runs(POLICIES[name], lambda x, t, audio_hidden_states: joint(x, t, audio_hidden_states)[0])
    given, _, _, engine = runs(POLICIES[name])
    assert all(torch.equal(a, b[0]) for a, b in zip(firsts, given, strict=True))
    (run,), (other,) = alone.trace.runs, engine.trace.runs
    assert run.computed_steps() == other.computed_steps()
    assert [step.reuse_error for step in run.steps] == [step.reuse_error for step in other.steps]
    assert other.steps[run.computed_steps()[-1]].other_errors


@pytest.mark.parametrize("keep", [StorageOptions(), StorageOptions(torch.bfloat16), StorageOptions(None, "cpu")])
def test_the_model_may_write_to_its_latent_and_what_is_kept_is_a_copy(keep):
    def model(x, t, audio_hidden_states):
        output = joint(x, t, audio_hidden_states)
        audio_hidden_states.zero_()
        return output

    given, true, latents, _ = runs(RESIDUAL, model, keep=keep)
    for i in range(2, STEPS):
        j = max(c for c in COMPUTED if c <= i)
        assert torch.allclose(
            given[i][1], latents[i] + (true[j][1] - latents[j]), rtol=0 if keep.dtype is None else 0.01
        )


def test_a_line_through_residuals_is_one_of_its_own_latent():
    """The second latent is no line; what the model adds to it is."""
    policy = Custom(Told("sample", steps=COMPUTED), FiniteDifferences(1, target="residual"))
    model = lambda x, t, audio_hidden_states: (line(x, t), audio_hidden_states + sound(x, t))  # noqa: E731
    given, true, _, _ = runs(policy, model)
    assert all(torch.allclose(a[1], b[1]) for a, b in zip(given[3:], true[3:], strict=True))


def test_the_difference_of_a_branch_goes_along_with_the_residual():
    """Two calls, whose second one is kept as its difference from the first."""
    now = {"index": 0, "name": "cond"}
    policy = HeldDifferences(Told("sample", steps=COMPUTED), ResidualHold())

    def model(x, t, audio_hidden_states):
        return line(x, t), audio_hidden_states + (7 if now["name"] == "cond" else 9)

    cached = engine_for(model, policy, describe_call=told(now, STEPS))
    for now["index"] in range(STEPS):
        for now["name"] in ("cond", "uncond"):
            x, t = latent(now["index"]), float(STEPS - now["index"])
            made = cached(x, t, audio_hidden_states=heard(now["index"]))
            if now["index"] > 1:
                torch.testing.assert_close(made[1], model(x, t, heard(now["index"]))[1])


def test_rows_that_decide_apart_add_the_residuals_of_their_own_steps():
    model = lambda x, t, audio_hidden_states: (torch.sin(x / 7) * x, audio_hidden_states + sound(x, t))  # noqa: E731
    policy = build_policy("easycache", threshold=0.2)
    given, true, latents, engine = runs(policy, model, rows=2)
    (run,) = engine.trace.runs
    assert set(run.computed_steps(0)) ^ set(run.computed_steps(1)), "some calls must be partial"
    for row in range(2):
        for i in range(12, STEPS):
            j = max(c for c in run.computed_steps(row) if c <= i)
            expected = latents[i][row] + (true[j][1][row] - latents[j][row])
            assert torch.allclose(given[i][1][row], expected), (row, i)
    assert {step.sample for step in run.steps if step.other_errors} == {0, 1}


@pytest.mark.parametrize("shadow", ["cached", "full"])
def test_shadow_mode_tells_its_true_error(shadow):
    given, true, _, _ = runs(RESIDUAL)
    made, _, _, engine = runs(RESIDUAL, shadow=shadow)
    (run,) = engine.trace.runs
    for i in set(range(STEPS)) - set(COMPUTED):
        error = (given[i][1] - true[i][1]).abs().mean() / true[i][1].abs().mean()
        assert run.steps[i].other_errors == {"1": pytest.approx(error.item(), rel=1e-5)}
        assert torch.equal(made[i][1], (given if shadow == "cached" else true)[i][1])


def test_an_output_that_no_latent_has_the_shape_of_is_held():
    model = lambda x, t, audio_hidden_states: (line(x, t), audio_hidden_states[:, :2])  # noqa: E731
    given, true, _, _ = runs(RESIDUAL, model)
    assert all(torch.equal(given[i][1], true[max(c for c in COMPUTED if c <= i)][1]) for i in range(STEPS))


def test_two_outputs_do_not_share_a_latent():
    model = lambda x, t, audio_hidden_states: (line(x, t), audio_hidden_states * 2, audio_hidden_states * 3)  # noqa: E731
    given, true, latents, _ = runs(RESIDUAL, model)
    for i in range(2, STEPS):
        j = max(c for c in COMPUTED if c <= i)
        assert torch.equal(given[i][1], latents[i] + latents[j])
        assert torch.equal(given[i][2], true[j][2]), "one latent for two outputs: the second has none"


def test_a_model_of_ones_own_says_which_argument_is_the_second_latent():
    model = lambda x, t, heard: (line(x, t), 2 * heard)  # noqa: E731
    given, _, latents, _ = runs(RESIDUAL, model, name="heard", call=CallSpec(other_latents=("heard",)))
    last = COMPUTED[-2] + 1
    assert torch.equal(given[last][1], latents[last] + latents[last - 1])
    with pytest.raises(ValueError, match=r"CallSpec\(other_latents='sound'\) names no argument"):
        runs(RESIDUAL, model, name="heard", call=CallSpec(other_latents=("sound",)))


def test_where_the_sound_decides_the_video_has_the_residual():
    call = CallSpec(latent="audio_hidden_states", output=1)
    model = lambda hidden_states, timestep, audio_hidden_states: (hidden_states * 3, audio_hidden_states * 2)  # noqa: E731
    given, _, latents, _ = runs(RESIDUAL, model, call=call)
    last = COMPUTED[-2] + 1
    assert torch.equal(given[last][0], latent(last) + 2 * latent(last - 1))
    assert torch.equal(given[last][1], latents[last] + latents[last - 1])


def test_a_second_latent_of_another_shape_begins_a_run():
    """As the first does: no residual can be added to it."""
    now = {"index": 0, "name": "cond"}
    cached = engine_for(joint, RESIDUAL, describe_call=told(now, STEPS))
    for now["index"] in range(STEPS):
        i, width = now["index"], 3 if now["index"] < 10 else 1
        cached(latent(i), float(STEPS - i), audio_hidden_states=heard(i)[:, :width])
    assert any("aligned anew at step 10" in note for run in cached.engine.trace.runs for note in run.notes)


def test_a_policy_that_adds_no_latent_keeps_none():
    _, _, _, engine = runs(Custom(Told("sample", steps=COMPUTED), DeadReckoning(), apart=True))
    assert [each.latent_index for each in engine.run.additional_outputs.by_path.values()] == [None]


def test_a_latent_that_is_no_tensor_is_refused_as_ever():
    with pytest.raises(CannotCache, match="is str, not a tensor or a list of tensors"):
        engine_for(joint, RESIDUAL)("words", 1.0, audio_hidden_states=heard(0))
