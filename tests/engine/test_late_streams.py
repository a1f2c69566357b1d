"""A stream that joins late waits for references of its own."""

from dataclasses import dataclass

import pytest
import torch
from tests.engine.toys.engines import Custom, engine_for, ramp
from tests.engine.toys.gates import Every, Told, told
from tests.engine.toys.lines import STEPS, latent, line

from navicache.policies import DeadReckoning, PolynomialExtrapolation, PredictionWeights


@dataclass(frozen=True)
class Linear:
    """Straight on through the two newest computed steps, one apart."""

    history_length: int = 2
    needs_inner_products: bool = False
    needs_past_inputs: bool = False
    needs_last_error: bool = False

    def init(self):
        return 0

    def weights(self, state, step):
        return PredictionWeights(0.0, ((0.0, 1.0 + step.gap), (0.0, -1.0 * step.gap)))

    def learn(self, state, outcome):
        return state + 1


def test_two_references_extrapolate_and_a_late_follower_waits_for_its_own():
    now = {"index": 0, "name": "cond"}
    cached = engine_for(lambda x, t: 2 * x, Custom(Every(steps=(0, 1, 4, 5)), Linear()), describe_call=told(now))
    for i, x in enumerate(ramp(8)):
        for name in ("cond", "uncond") if i >= 3 else ("cond",):
            now.update(index=i, name=name)
            assert torch.equal(cached(x, 1.0), 2 * x), "a straight line is predicted exactly"
    record = cached.engine.trace.runs[-1]
    computed = {name: record.computed_steps(stream=name) for name in ("cond", "uncond")}
    assert computed == {"cond": (0, 1, 4, 5), "uncond": (3, 4, 5)}


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
@pytest.mark.parametrize("predictor", [DeadReckoning(), PolynomialExtrapolation(1), PolynomialExtrapolation(2)])
def test_a_stream_that_joins_at_a_compute_has_not_all_references(predictor, apart):
    """Its newest reference is the leader's, the older ones are not: it must neither be predicted nor teach."""
    now = {"index": 0, "name": ""}
    policy = Custom(Told(steps=(0, 1, 2, 6, 12, 13, 14)), predictor, apart=apart)
    cached = engine_for(line, policy, describe_call=told(now, STEPS))
    for i in range(20):
        # The second stream appears at step 6, and from step 12 on it leads.
        for name in ("cond",) if i < 6 else ("cond", "uncond") if i < 12 else ("uncond", "cond"):
            now.update(index=i, name=name)
            output = cached(latent(i), float(STEPS - i))
            torch.testing.assert_close(output, line(latent(i), float(STEPS - i)), rtol=0, atol=1e-3)
    (decider,) = cached.engine.run.deciders.by_stream.values()
    if isinstance(predictor, DeadReckoning):
        assert decider.predictor_states[0].damping.mean == pytest.approx(1.0, abs=1e-6)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps(stream="uncond")[:7] == (6, 7, 8, 9, 10, 11, 12)
    assert set(range(16, 20)).isdisjoint(record.computed_steps(stream="uncond")), "in the end it is reused too"


@pytest.mark.parametrize("apart", [False, True], ids=["together", "apart"])
def test_a_stream_that_joins_late_is_reused_from_the_next_compute_on(apart):
    """The leader never computes twice in a row after step 2, so the newcomer must go by its own gaps."""
    now = {"index": 0, "name": ""}
    policy = Custom(Told(steps=(0, 1, 2, 6, 10, 14, 18)), DeadReckoning(), apart=apart)
    cached = engine_for(line, policy, describe_call=told(now, STEPS))
    for i in range(20):
        for name in ("cond",) if i < 7 else ("cond", "uncond"):
            now.update(index=i, name=name)
            output = cached(latent(i), float(STEPS - i))
            torch.testing.assert_close(output, line(latent(i), float(STEPS - i)), rtol=0, atol=1e-3)
    record = cached.engine.trace.runs[-1]
    assert record.computed_steps(stream="uncond") == (7, 8, 9, 10, 14, 18)
