"""An input that leaves its straight course: the predicted output goes along, by as much."""

from dataclasses import replace

import pytest
import torch
from tests.engine.test_dead_reckoning import Told
from tests.engine.toys import Custom, engine_for

from navicache.engine import Host
from navicache.policies import DeadReckoning

TOTAL, BEND = 24, 10
COMPUTED = (0, 1, 2, 5, 8, 15)


def latent(i: int, shape: tuple[int, ...] = (1, 4, 8)) -> torch.Tensor:
    """Straight, until it turns aside by a pattern of its own; whole numbers throughout."""
    aside = torch.arange(1.0, 9.0).expand(shape) * max(0, i - BEND)
    return torch.full(shape, float(i)) + aside


def answering(x, t):
    """A straight course of its own, and the input's on top."""
    return x + 3 * (TOTAL - t)


def worst(predictor, model=answering, shape=(1, 4, 8), rows=slice(None)) -> list[float]:
    cached = engine_for(model, Custom(Told(steps=COMPUTED), predictor))
    outputs = [cached(latent(i, shape), float(TOTAL - i)) for i in range(15)]
    truth = [model(latent(i, shape), float(TOTAL - i)) for i in range(15)]
    return [(o - y)[rows].abs().amax().item() for o, y in zip(outputs, truth, strict=True)]


def test_an_output_that_answers_its_input_is_predicted_exactly():
    assert max(worst(DeadReckoning(departure=True))) < 1e-4
    without = worst(DeadReckoning())
    assert max(without[: BEND + 1]) < 1e-4
    assert without[BEND + 4] == pytest.approx(4 * 8)  # four steps aside, by eight a step in the last place


def test_an_output_that_does_not_answer_is_off_by_the_departure():
    """What it costs where a model does not mind: no more than the input's own departure."""
    errors = worst(DeadReckoning(departure=True), lambda x, t: 3 * (TOTAL - t) + 0 * x)
    assert max(errors[: BEND + 1]) < 1e-4
    assert errors[BEND + 4] == pytest.approx(4 * 8)


def test_condition_channels_of_the_input_are_left_out():
    model = lambda x, t: answering(x[:, :4], t)  # noqa: E731
    assert max(worst(DeadReckoning(departure=True), model, (1, 6, 8))) < 1e-4


def test_an_output_of_another_form_is_carried_on_by_itself():
    model = lambda x, t: torch.arange(1.0, 6.0).expand(x.shape[0], 2, 5) * (TOTAL - t)  # noqa: E731
    assert max(worst(DeadReckoning(departure=True), model)) < 1e-4


class Guided(Custom):
    """The leader goes along with its input, differences have none."""

    def schemes(self):
        (scheme,) = super().schemes()
        return (replace(scheme, apart=DeadReckoning()),)


@pytest.mark.parametrize("others", [("cond", "uncond"), ("uncond", "cond")], ids=["same leader", "another leader"])
def test_followers_go_along_with_the_leader(others):
    """Both branches answer the same input, so their difference is a line; a new leader begins anew."""
    now = {"name": ""}
    model = lambda x, t: answering(x, t) + (5 * (TOTAL - t) if now["name"] == "uncond" else 0)  # noqa: E731
    policy = Guided(Told(steps=(*COMPUTED[:5], 9)), DeadReckoning(departure=True))
    index = {"index": 0}
    cached = engine_for(model, policy, surroundings=lambda: Host(now["name"], index["index"], TOTAL, None, now))
    for i in range(15):
        for name in ("cond", "uncond") if i < 9 else others:
            now["name"], index["index"] = name, i
            x, t = latent(i), float(TOTAL - i)
            output = cached(x, t)
            assert (output - model(x, t)).abs().amax().item() < 1e-3 or (i > 9 and others[0] == "uncond"), (i, name)
    assert cached.engine.run.streams["cond"].history
    assert cached.engine.run.streams["uncond"].keeps_inputs == (others[0] == "uncond"), "a leader needs its inputs"
