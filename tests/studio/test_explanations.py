"""Every reason a gate gives has words of its own."""

import ast
import math
from pathlib import Path

import pytest

import navicache.policies
from navicache.records import RunRecord, StepRecord
from navicache.studio.explanations import REASONS, explain_step


def list_reasons():
    """(is computed, reason) of every decision that the policies can give, guards included."""
    for file in Path(navicache.policies.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Decision":
                yield from list_decision_reasons(node)
            if isinstance(node, ast.FunctionDef) and node.name == "find_compute_reason":
                returned = [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value]
                yield from ((True, text) for value in returned for text in list_texts(value))


def list_decision_reasons(call):
    given = dict(zip(("compute", "reason"), call.args, strict=False)) | {word.arg: word.value for word in call.keywords}
    compute, reason = given["compute"], given["reason"]
    outcomes = [compute.value] if isinstance(compute, ast.Constant) else [True, False]
    texts = list_texts(reason)
    assert texts or getattr(reason, "id", "") == "reason", f"{ast.unparse(call)}: a reason that this test cannot read"
    return [(outcome, text) for outcome in outcomes for text in texts]


def list_texts(expression):
    parts = [part.value for part in ast.walk(expression) if isinstance(part, ast.Constant)]
    return [part for part in parts if isinstance(part, str)]


def test_every_reason_has_words():
    found = set(list_reasons())
    assert {(True, "longest reuse"), (True, "last step"), (False, "budget"), (True, "no ratio yet")} <= found
    assert [pair for pair in found if not REASONS.get(pair[1], ("", ""))[0 if pair[0] else 1]] == []


def told(computed=True, reason="gate", policy="navicache", belief=None, **fields):
    step = StepRecord(index=7, stream="cond", computed=computed, reason=reason, **fields)
    return explain_step(RunRecord(model="Toy", policy=policy, steps=(step,), belief=belief), step)


def test_numbers_that_are_known_are_told():
    text = told(accumulated=0.061, threshold=0.05, ratio=1.25, input_change=0.5, reuse_error=0.125)
    assert text.startswith("Step 7, computed: the error that would have accumulated reaches the threshold.\n")
    assert "accumulated error 0.061 of 0.05" in text and "ratio 1.25" in text and "input change 0.5" in text
    assert "a prediction would have been off by 12.5%" in text


def test_the_error_of_every_output_is_told():
    text = told(computed=False, reuse_error=0.125, other_errors={"1": 0.25, "audio": math.nan})
    assert text.endswith("the prediction was off by 12.5% · that of output 1 by 25.0%")


def test_a_sum_without_a_threshold_decides_nothing_and_is_not_told():
    text = told(computed=False, reason="budget", accumulated=42.0, threshold=0.0, predicted_change=9.0)
    assert "schedule of this speed-up leaves it out" in text and "42" not in text and "9" not in text


def test_the_error_gates_numbers_have_its_names():
    text = told(belief="predicted_change", ratio=3.0, predicted_change=0.25, threshold=0.5, accumulated=0.25)
    assert "growth 3" in text and "predicted error 0.25" in text and "ratio" not in text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_what_is_unknown_is_left_out(value):
    assert told(reason="align", ratio=value, reuse_error=value).count("\n") == 0


def test_an_unknown_reason_is_told_as_it_is():
    assert told(reason="reuses mlp") == "Step 7, computed: reuses mlp."
