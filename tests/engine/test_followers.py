"""Followers as their difference from the leader, each carried on by itself."""

import pytest
import torch
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told
from tests.engine.toys.lines import STEPS, latent, line

from navicache.policies import DeadReckoning, PolynomialExtrapolation

EVERY_THIRD = (0, 1, *range(2, STEPS, 3))


def guided(difference, policy, names=lambda i: ("cond", "uncond"), rows: int = 1):
    """The outputs of both branches: "uncond" differs from the line by what is given; and the engine."""
    now = {"index": 0, "name": ""}
    model = lambda x, t: line(x, t) + (difference(x, t) if now["name"] == "uncond" else 0)  # noqa: E731
    cached = engine_for(model, policy, describe_call=told(now, STEPS))
    errors = {"cond": [], "uncond": []}
    for i in range(STEPS):
        for name in names(i):
            now.update(index=i, name=name)
            x, t = latent(i, (rows, 4, 8)), float(STEPS - i)
            errors[name].append((cached(x, t) - model(x, t)).abs().amax().item())
    return errors, cached.engine


def jumps(x, t):
    return torch.randn(x.shape[1:], generator=torch.Generator().manual_seed(int(t))).expand(x.shape)


def belief(engine, stream: str) -> float:
    return engine.run.streams.difference_predictors.get_or_create_states(stream)[0].damping.mean


@pytest.mark.parametrize("predictor", [DeadReckoning(), DeadReckoning(amends=True), PolynomialExtrapolation(1)])
def test_two_lines_are_predicted_exactly(predictor):
    errors, engine = guided(lambda x, t: 3 * t, Custom(Told(steps=EVERY_THIRD), predictor, apart=True))
    assert max(errors["cond"][2:] + errors["uncond"][2:]) < 1e-3
    assert engine.trace.runs[0].computed_steps(stream="uncond") == EVERY_THIRD


def test_a_difference_that_jumps_is_held_while_the_leader_goes_on():
    """One damping for both would carry the jumps on with the line: an error two to three times as large."""
    apart, engine = guided(jumps, Custom(Told(steps=EVERY_THIRD), DeadReckoning(), apart=True))
    together, _ = guided(jumps, Custom(Told(steps=EVERY_THIRD), DeadReckoning()))
    assert max(apart["cond"][2:]) < 1e-3
    assert belief(engine, "uncond") < 0.3
    assert sum(apart["uncond"]) < 0.75 * sum(together["uncond"])


def test_a_constant_difference_has_nothing_to_learn_from():
    errors, _ = guided(lambda x, t: 5.0, Custom(Told(steps=EVERY_THIRD), DeadReckoning(), apart=True))
    assert max(errors["uncond"][2:]) < 1e-3


def test_another_leader_begins_anew():
    """From step 12 on the other one is called first, and at step 20 the first one is gone for good."""
    names = lambda i: ("cond", "uncond") if i < 12 else ("uncond", "cond") if i < 20 else ("uncond",)  # noqa: E731
    policy = Custom(Told(steps=EVERY_THIRD), DeadReckoning(), apart=True)
    errors, engine = guided(lambda x, t: 3 * t, policy, names)
    assert max(errors["cond"][2:] + errors["uncond"][2:]) < 1e-3
    computed = engine.trace.runs[0].computed_steps(stream="uncond")
    assert 12 in computed, "its differences are of no use"
    assert len(computed) < STEPS / 2, "and then it is reused again"


def test_an_output_of_another_form_is_kept_as_it_is():
    now = {"index": 0, "name": ""}
    model = lambda x, t: line(x, t).to(torch.float64 if now["name"] == "uncond" else torch.float32)  # noqa: E731
    policy = Custom(Told(steps=EVERY_THIRD), DeadReckoning(), apart=True)
    cached = engine_for(model, policy, describe_call=told(now, STEPS))
    for i in range(STEPS - 1):  # the last one lets everything go
        for name in ("cond", "uncond"):
            now.update(index=i, name=name)
            output = cached(latent(i), float(STEPS - i))
            assert output.dtype == (torch.float64 if name == "uncond" else torch.float32)
    assert not cached.engine.run.streams.followers


def test_a_nan_of_the_follower_is_computed_again_and_forgotten():
    spoilt = lambda x, t: torch.nan if t == STEPS - 8 else 3 * t  # noqa: E731
    errors, engine = guided(spoilt, Custom(Told(steps=EVERY_THIRD), DeadReckoning(), apart=True))
    assert [i for i, error in enumerate(errors["uncond"]) if not error < 1e-3] == [8]
    assert belief(engine, "uncond") == pytest.approx(1.0, abs=0.05)
