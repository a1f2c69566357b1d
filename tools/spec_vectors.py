"""Write docs/spec/vectors.json, the test vectors of the statement of `inertial`; `--check` writes nothing.

The library's own engine makes them in float64: schedules from noise levels, and whole runs of small made-up models,
with what was computed, what was learnt and what was returned.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from tools.spec_runs import list_models, record_run, round_given

from navicache.policies import Outcome, Step
from navicache.policies.budget import BudgetGate
from navicache.policies.noise_levels import build_shifted_levels

PATH = Path(__file__).parents[1] / "docs" / "spec" / "vectors.json"
SCHEDULES = ((50, 1.0), (50, 5.0), (50, 12.0), (30, 3.0), (20, 7.0), (100, 3.0), (8, 3.0))
SPEEDUPS = (1.5, 2.0, 3.0, 4.0)


def list_schedules() -> list[dict[str, Any]]:
    """The steps that a speed-up computes at some noise levels."""
    cases: list[dict[str, Any]] = []
    for total, shift in SCHEDULES:
        levels = tuple(round_given(level) for level in build_shifted_levels(total, shift))
        for speedup, text_flow in product(SPEEDUPS, (False, True)):
            about = {"total": total, "noise_levels": levels, "has_text": text_flow}
            steps = [i for i in range(total) if _is_due(speedup, Step(i, i, **about))]
            cases.append({"levels": levels, "speedup": speedup, "text_flow": text_flow, "computed": steps})
    return cases


def _is_due(speedup: float, step: Step) -> bool:
    gate = BudgetGate(speedup=speedup)
    return gate.decide(gate.init(), step)[0].compute


def list_told_times() -> list[dict[str, Any]]:
    """The steps that a speed-up computes where the model is told a time and nobody tells the levels to come."""
    cases: list[dict[str, Any]] = []
    for total, shift in SCHEDULES[1:5]:
        times = [round_given(1000 * level) for level in build_shifted_levels(total, shift)[:-1]]
        cases.append({"times": times, "speedup": 2.0, "computed": _run_gate(BudgetGate(speedup=2.0), times)})
    for speedup in (2.2, 3.0):  # of noise prediction: indices of betas
        times = [981.0 - 20.0 * i for i in range(50)]
        cases.append({"times": times, "speedup": speedup, "computed": _run_gate(BudgetGate(speedup=speedup), times)})
    return cases


def _run_gate(gate: BudgetGate, times: Sequence[float]) -> list[int]:
    state, computed = gate.init(), list[int]()
    for i, time in enumerate(times):
        decision, state = gate.decide(state, Step(i, i, total=len(times), time=time))
        if decision.compute or i == len(times) - 1:
            computed.append(i)
            state = gate.learn(state, Outcome(i, i, total=len(times), time=time))
    return computed


def list_runs() -> list[dict[str, Any]]:
    """Every model at every target."""
    targets: tuple[dict[str, Any], ...] = ({"speedup": 2.0}, {"speedup": 3.0}, {"threshold": 0.3}, {"max_error": 0.2})
    levels = tuple(round_given(level) for level in build_shifted_levels(18, 5.0))
    return [
        record_run(name, model, target, levels)
        for name, model in list_models(len(levels) - 1).items()
        for target in targets
    ]


def build_vectors() -> dict[str, Any]:
    """All vectors."""
    return {"schedules": list_schedules(), "told_times": list_told_times(), "runs": list_runs()}


def format_vectors(vectors: Mapping[str, list[dict[str, Any]]]) -> str:
    """JSON with a line for each case, so that a change shows in a diff."""
    parts = (f' "{name}": [\n  ' + ",\n  ".join(map(json.dumps, cases)) + "\n ]" for name, cases in vectors.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    """Write the file, or say whether it is stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="say whether the file is stale, and write nothing")
    check, text = parser.parse_args().check, format_vectors(build_vectors())
    is_stale = not PATH.exists() or PATH.read_text(encoding="utf-8") != text
    if is_stale and not check:
        PATH.write_text(text, encoding="utf-8")
    print(f"{'stale' if check else 'written'}: {PATH.name if is_stale else 'nothing'}")
    return 1 if check and is_stale else 0


if __name__ == "__main__":
    sys.exit(main())
