"""The loop that every stage shares: two optimizers, averaged weights, and a session that keeps the time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from navicache_pocket.train import muon
from navicache_pocket.train.replay import Figures
from navicache_pocket.train.session import Session, set_rate


@dataclass(frozen=True)
class Pace:
    """How fast a model learns."""

    rate: float = 8e-4
    matrix_rate: float = 1.5e-3  # of the matrices, which Muon turns
    warm_up: int = 400
    average: float = 0.9995
    beta: float = 0.98  # AdamW's second
    decay: float = 0.01
    note_every: int = 100  # steps


class Average:
    """A running mean of the weights: what is shipped."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        """Begin at the model's weights."""
        self.decay, self.live = decay, [*model.parameters()]
        self.weights = [parameter.detach().clone() for parameter in self.live]

    def update(self, step: int) -> None:
        """Follow the model, closely at first."""
        keep = min(self.decay, (step + 1) / (step + 10))
        torch._foreach_lerp_(self.weights, [parameter.detach() for parameter in self.live], 1 - keep)

    def install(self) -> None:
        """Put the mean into the model."""
        for parameter, mean in zip(self.live, self.weights, strict=True):
            parameter.data.copy_(mean)


def learn(
    session: Session, model: nn.Module, matrices: Sequence[torch.Tensor], look: Callable[[], Figures], pace: Pace
) -> None:
    """Train until the session's time is up, then put the averaged weights into the model.

    `look` is one look at a batch: what it returns under "loss" is made smaller, the rest is logged beside it. A
    session that was saved goes on from there; one whose time is up only restores what it ended with.
    """
    average = Average(model, pace.average)
    optimizers = muon.optimizers(model, matrices, pace.rate, pace.matrix_rate, pace.beta, pace.decay)
    saved = session.resume(str(matrices[0].device))
    if saved:
        model.load_state_dict(saved["model"])
        for name, optimizer in optimizers.items():
            optimizer.load_state_dict(saved[name])
        average.weights = saved["average"]
    torch.manual_seed(session.step)  # so that a training that goes on does not see the first batches again

    def parts() -> dict[str, Any]:
        states = {name: optimizer.state_dict() for name, optimizer in optimizers.items()}
        return {"model": model.state_dict(), "average": average.weights, **states}

    for step in session.steps(parts):
        set_rate(optimizers["adam"], session, pace.rate, pace.warm_up)
        set_rate(optimizers["muon"], session, pace.matrix_rate, pace.warm_up)
        figures = look()
        _step(model, optimizers, figures["loss"])
        average.update(step)
        session.note(pace.note_every, {name: value.detach() for name, value in figures.items()})
    average.install()


def _step(model: nn.Module, optimizers: dict[str, torch.optim.Optimizer], loss: torch.Tensor) -> None:
    model.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers.values():
        optimizer.step()
