"""Models that return sound beside a video, and runs of them."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from tests.engine.toys.engines import Custom, engine_for
from tests.engine.toys.gates import Told, told
from tests.engine.toys.lines import STEPS, latent
from torch import Tensor

from navicache.policies import DeadReckoning, Policy

COMPUTED = (0, 1, *range(2, STEPS, 3))
THIRDS = Custom(Told("sample", steps=COMPUTED), DeadReckoning(), apart=True)


def sound(x: Tensor, t: float) -> Tensor:
    """A line in the step index, in each row as steep as its latent; whole numbers are never rounded."""
    return x[:, 0, :1] / t * torch.arange(1.0, 4.0) * (3 * float(t) + 5)


def runs(model: Callable[..., Any], policy: Policy, rows: int = 1, **options: Any) -> tuple[list, list, Any]:
    """What is returned at every step, what the model would have returned, and the engine; each row is a sample."""
    now = {"index": 0, "name": "cond"}
    cached = engine_for(model, policy, describe_call=told(now, STEPS), **options)
    given, true = [], []
    for index in range(STEPS):
        now["index"], t = index, float(STEPS - index)
        x = torch.cat([latent(index) * (1 + row) for row in range(rows)])
        given.append(cached(x, t))
        true.append(model(x, t))
    return given, true, cached.engine


def guided(model: Callable[..., Any], rows: int, policy: Policy = THIRDS, **options: Any) -> Iterator[tuple[Any, Any]]:
    """The same with two guidance branches: as two rows of one call, or as two calls with one row each."""
    now: dict[str, Any] = {"index": 0, "name": "cond"}
    current = {"branch": torch.zeros(1, 1)}
    cached = engine_for(lambda x, t: model(x, t, current["branch"]), policy, describe_call=told(now, STEPS), **options)
    branches = torch.tensor([[0.0], [1.0]])
    for index in range(STEPS):
        x, t = latent(index, (rows, 4, 8)), float(STEPS - index)
        for name, branch in {"cond": branches[:1], "uncond": branches[1:]}.items() if rows == 1 else [("", branches)]:
            now.update(index=index, name=name or "cond")
            current["branch"] = branch
            yield cached(x, t), model(x, t, branch)
