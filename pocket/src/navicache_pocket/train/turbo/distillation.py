"""The student: wan with an adapter that takes each of the teacher's few long steps at once, without guidance."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from diffusers import WanTransformer3DModel
from torch import nn
from torch.nn import functional

from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.denoiser import TEXT_LENGTHS
from navicache_pocket.train.timed_stage import TimedStage
from navicache_pocket.train.training_loop import LoopSettings, run_training_loop
from navicache_pocket.train.turbo.low_rank import LowRankLinear, add_low_rank
from navicache_pocket.train.turbo.trajectories import TIME_SCALE, Trajectories


@dataclass(frozen=True)
class DistillationSettings:
    """How the adapter is trained; the defaults fit one large GPU."""

    rank: int = 32
    batch: int = 512
    loop: LoopSettings = field(
        default_factory=lambda: LoopSettings(learning_rate=1e-3, warm_up_steps=100, ema_decay=0.998)
    )


def distil(
    stage: TimedStage, course: Trajectories, base: Path, settings: DistillationSettings
) -> dict[str, LowRankLinear]:
    """Train until the stage's time is up; returns the adapted layers by name, with averaged weights."""
    model: Any = WanTransformer3DModel.from_pretrained(base, subfolder="transformer", torch_dtype=torch.float32)
    model.to(course.states.device).train()
    adapted = add_low_rank(model, settings.rank)
    trained = nn.ModuleList(nn.ModuleList([layer.down, layer.up]) for layer in adapted.values())
    lengths, shares = torch.tensor([*TEXT_LENGTHS]), torch.tensor([*TEXT_LENGTHS.values()])
    if course.states.is_cuda:
        model.compile_repeated_blocks()

    def compute_loss() -> StepFigures:
        length = int(lengths[torch.multinomial(shares, 1)])
        return {"loss": measure_step_error(model, course, length, settings.batch)}

    matrices = [layer.down.weight for layer in adapted.values()]
    run_training_loop(stage, trained, matrices, compute_loss, settings.loop)
    return adapted


def measure_step_error(model: Any, course: Trajectories, length: int, batch: int) -> torch.Tensor:
    """Squared error of the mean velocity of a long step, for random steps of random videos."""
    device, steps = course.states.device, len(course.levels) - 1
    rows = torch.randint(0, len(course.states), (batch,), device=device)
    places = torch.randint(0, steps, (batch,), device=device)
    state, after = course.states[rows, places], course.states[rows, places + 1]
    here, there = course.levels[places], course.levels[places + 1]
    wanted = (after - state) / (there - here).view(-1, 1, 1, 1, 1)
    words = course.text[rows]
    text = functional.pad(words, (0, 0, 0, length - words.shape[1]))
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
        # the first block's input has a gradient like the others': they are compiled once
        velocity = model(state.requires_grad_(), TIME_SCALE * here, text, return_dict=False)[0]
    return (velocity.float() - wanted).square().mean()
