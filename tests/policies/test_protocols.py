"""What a step knows of the run, and that the facts of gates and predictors are no arguments of them."""

import importlib
import inspect
import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from navicache import policies
from navicache.policies import (
    DeadReckoning,
    ErrorGate,
    FiniteDifferences,
    Outcome,
    PolynomialExtrapolation,
    ResidualHold,
    Step,
)
from navicache.policies.budget import BudgetGate, StepListGate
from navicache.policies.ratio_gate import RatioGate

GATE_FACTS = {"streams", "rows", "reads"}
PREDICTOR_FACTS = {"history_length", "needs_inner_products", "needs_past_inputs", "needs_last_error"}
CHOSEN = {
    (gate, "rows") for gate in (ErrorGate, RatioGate, BudgetGate, StepListGate)
}  # their policies let the user choose


def classes_with(*methods: str) -> list[type]:
    """Every class of the package that has these methods of its own, protocols aside."""
    found = {}
    for module in pkgutil.iter_modules(policies.__path__, f"{policies.__name__}."):
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if all(callable(getattr(kind, name, None)) for name in methods) and not getattr(
                kind, "_is_protocol", False
            ):
                found[kind.__qualname__] = kind
    return list(found.values())


GATES, PREDICTORS = classes_with("decide", "explain"), classes_with("weights", "learn")
FACTS = [(kind, fact) for kind in GATES for fact in GATE_FACTS]
FACTS += [(kind, fact) for kind in PREDICTORS for fact in PREDICTOR_FACTS]


def test_gates_and_predictors_are_found():
    assert {ErrorGate, RatioGate} < set(GATES)
    assert {ResidualHold, PolynomialExtrapolation, FiniteDifferences, DeadReckoning} < set(PREDICTORS)


@pytest.mark.parametrize(("kind", "fact"), sorted(FACTS, key=str))
def test_a_fact_is_there_and_no_argument(kind, fact):
    assert hasattr(kind, fact)
    assert (fact in inspect.signature(kind).parameters) == ((kind, fact) in CHOSEN)


def test_a_fact_cannot_be_set():
    with pytest.raises(TypeError, match="history_length"):
        ResidualHold(history_length=7)  # pyright: ignore[reportCallIssue]
    with pytest.raises(AttributeError):
        ResidualHold().history_length = 7  # pyright: ignore[reportAttributeAccessIssue]
    assert (
        ResidualHold().history_length,
        PolynomialExtrapolation(2).history_length,
        FiniteDifferences(3).history_length,
        DeadReckoning().history_length,
    ) == (1, 3, 4, 2)


@given(index=st.integers(0, 99), total=st.none() | st.integers(1, 100), sigma=st.none() | st.floats(0, 1))
def test_progress_goes_by_the_number_of_steps_else_by_the_noise(index, total, sigma):
    known = {"index": index, "local_index": index, "total": total, "sigma": sigma}
    expected = None if sigma is None else 1 - sigma
    if total is not None:
        expected = min(1.0, index / (total - 1)) if total > 1 else min(1.0, index)
    assert Step(**known).progress == Outcome(**known).progress == expected
