"""The loop that every stage shares: two optimizers, averaged weights, and a time limit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from navicache_pocket.train import muon
from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.timed_stage import TimedStage, set_learning_rate


@dataclass(frozen=True)
class LoopSettings:
    """Learning rates and their like."""

    learning_rate: float = 8e-4
    muon_learning_rate: float = 1.5e-3  # of the matrices, which Muon updates
    warm_up_steps: int = 400
    ema_decay: float = 0.9995
    adam_beta2: float = 0.98  # AdamW's second
    weight_decay: float = 0.01
    log_every: int = 100  # steps


class WeightAverage:
    """An exponential moving average of the weights, which are the ones shipped."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        """Start from the model's weights."""
        self.decay, self.parameters = decay, [*model.parameters()]
        self.weights = [parameter.detach().clone() for parameter in self.parameters]

    def update(self, step: int) -> None:
        """Move towards the model's weights, faster in the first steps."""
        keep = min(self.decay, (step + 1) / (step + 10))
        torch._foreach_lerp_(self.weights, [parameter.detach() for parameter in self.parameters], 1 - keep)

    def copy_to_model(self) -> None:
        """Copy the average into the model."""
        for parameter, mean in zip(self.parameters, self.weights, strict=True):
            parameter.data.copy_(mean)


def run_training_loop(
    stage: TimedStage,
    model: nn.Module,
    matrices: Sequence[torch.Tensor],
    compute_loss: Callable[[], StepFigures],
    settings: LoopSettings,
) -> None:
    """Train until the stage's time is up, then put the averaged weights into the model.

    `compute_loss` returns the figures of a random batch: "loss" is minimised, the rest is logged. A saved
    stage resumes; a finished one only restores its weights. A loss or a gradient that is not finite ends it with
    `TrainingDiverged`, within `log_every` steps, and keeps the state that was saved before.
    """
    average = WeightAverage(model, settings.ema_decay)
    optimizers = muon.make_optimizers(
        model, matrices, settings.learning_rate, settings.muon_learning_rate, settings.adam_beta2, settings.weight_decay
    )
    saved = stage.resume(str(matrices[0].device))
    if saved:
        model.load_state_dict(saved["model"])
        for name, optimizer in optimizers.items():
            optimizer.load_state_dict(saved[name])
        average.weights = saved["average"]
    torch.manual_seed(stage.step)  # so that a training that goes on does not see the first batches again

    def collect_state() -> dict[str, Any]:
        states = {name: optimizer.state_dict() for name, optimizer in optimizers.items()}
        return {"model": model.state_dict(), "average": average.weights, **states}

    for step in stage.run_steps(collect_state):
        set_learning_rate(optimizers["adam"], stage, settings.learning_rate, settings.warm_up_steps)
        set_learning_rate(optimizers["muon"], stage, settings.muon_learning_rate, settings.warm_up_steps)
        figures = compute_loss()
        slope = _take_optimizer_step(model, optimizers, figures["loss"])
        average.update(step)
        logged = {name: value.detach() for name, value in figures.items()}
        stage.log_figures(settings.log_every, logged, checked={"the gradient's norm": slope})
    average.copy_to_model()


def _take_optimizer_step(
    model: nn.Module, optimizers: dict[str, torch.optim.Optimizer], loss: torch.Tensor
) -> torch.Tensor:
    """The norm of the gradient, before it was clipped."""
    model.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers.values():
        optimizer.step()
    return norm
