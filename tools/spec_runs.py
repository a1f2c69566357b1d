"""Whole runs of small made-up models through the library's engine, for the test vectors of docs/spec."""

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import torch

from navicache.engine import CallFacts, CallReader, ModelEngine
from navicache.integrations.attachments import get_forward_signature
from navicache.models import CallSpec
from navicache.policies import Inertial, Scheme

SEED, STREAMS, WIDTH = 7, ("lead", "follower"), 3
GIVEN_DIGITS, FOUND_DIGITS = 4, 6  # inputs are rounded before they are used, so every reader has the same

Numbers = list[float]
Model = Callable[[int, int], Numbers]  # step and stream -> true output


@dataclass
class WatchedPredictor:
    """A predictor that writes down what it believes after each computed step."""

    inner: Any
    beliefs: list[Any] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        """Everything but learning is the inner predictor's."""
        return getattr(self.inner, name)

    def learn(self, state: Any, outcome: Any) -> Any:
        """Learn as the inner predictor, and keep the result."""
        self.beliefs.append(self.inner.learn(state, outcome))
        return self.beliefs[-1]


@dataclass(frozen=True)
class WatchedPolicy:
    """A policy of one scheme that a test looks into."""

    name: ClassVar[str] = "watched"
    scheme: Scheme
    align_steps: int | None = None

    def schemes(self) -> tuple[Scheme, ...]:
        """The one scheme."""
        return (self.scheme,)


def list_models(total: int) -> dict[str, Model]:
    """True outputs: smooth, swinging from step to step, noisy, and one that stands still."""
    luck = random.Random(SEED)
    noise = [[[luck.gauss(0, 0.1) for _ in range(WIDTH)] for _ in STREAMS] for _ in range(total)]

    def smooth(step: int, stream: int) -> Numbers:
        return [math.sin(0.2 * step + place + 0.4 * stream) + 0.01 * stream * step * step for place in range(WIDTH)]

    def swinging(step: int, stream: int) -> Numbers:
        return [value + 0.3 * (-1) ** step for value in smooth(step, stream)]

    def noisy(step: int, stream: int) -> Numbers:
        return [a + b for a, b in zip(smooth(step, stream), noise[step][stream], strict=True)]

    def still(step: int, stream: int) -> Numbers:
        return [1.0 + place + 0.5 * stream * step for place in range(WIDTH)]

    return {"smooth": smooth, "swinging": swinging, "noisy": noisy, "still": still}


def record_run(name: str, model: Model, target: Mapping[str, Any], levels: Sequence[float]) -> dict[str, Any]:
    """One run of two guidance branches through the engine."""
    total = len(levels) - 1
    inputs = [[round_given(math.cos(0.15 * step + place)) for place in range(WIDTH)] for step in range(total)]
    outputs = [[[round_given(v) for v in model(i, stream)] for stream in range(len(STREAMS))] for i in range(total)]
    (scheme,) = Inertial(**target).schemes()
    watched = WatchedPredictor(scheme.predictor)
    computed, returned = run_engine(WatchedPolicy(replace(scheme, predictor=watched)), levels, inputs, outputs)
    return {
        "name": f"{name}, {' '.join(f'{knob} {value:g}' for knob, value in target.items())}",
        "target": dict(target),
        "levels": levels,
        "inputs": inputs,
        "outputs": outputs,
        "computed": computed,
        "damping": [_find_mean(belief.damping) for belief in watched.beliefs],
        "error_correlation": [_find_mean(belief.error_correlation) for belief in watched.beliefs],
        "returned": returned,
    }


def run_engine(
    policy: WatchedPolicy, levels: Sequence[float], inputs: Sequence[Numbers], outputs: Sequence[Sequence[Numbers]]
) -> tuple[list[int], list[list[Numbers]]]:
    """The computed steps, and what every step and stream returned."""
    total, now = len(levels) - 1, {"step": 0, "stream": 0}

    def describe_call() -> CallFacts:
        return CallFacts(STREAMS[now["stream"]], now["step"], total, None, levels, lambda: tuple(levels))

    def compute(x: torch.Tensor, t: float) -> torch.Tensor:
        del t
        return torch.tensor([outputs[now["step"]][now["stream"]]], dtype=x.dtype)

    reader = CallReader(CallSpec(), get_forward_signature(compute))
    engine = ModelEngine(policy, reader, model="vectors", call=CallSpec(), keep=None, describe_call=describe_call)
    returned: list[list[Numbers]] = []
    for step, values in enumerate(inputs):
        returned.append([])
        for stream in range(len(STREAMS)):
            now.update(step=step, stream=stream)
            latent = torch.tensor([values], dtype=torch.float64)
            given = engine(compute, (latent, float(total - step)), {})
            returned[-1].append([_find(value) for value in given[0].tolist()])
    return list(engine.trace.runs[0].computed_steps()), returned


def _find_mean(belief: Any) -> float | None:
    return None if belief is None else _find(belief.mean)


def _find(value: float) -> float:
    return round(value, FOUND_DIGITS)


def round_given(value: float) -> float:
    """A number that is given to a reader of the vectors."""
    return round(value, GIVEN_DIGITS)
