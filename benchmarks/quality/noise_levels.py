"""The noise level before each step of a cell, as its scheduler sets it; no weights are read."""

from typing import Any

from navicache.cli.bench.conversion import find_scheduler_class, model_source
from navicache.evaluation.bench.plan import STEPS, PlanCondition, PlanModel
from navicache.generation.loading import locate_model, read_model_index
from navicache.integrations.scheduler import read_noise_levels
from navicache_opensora import RectifiedFlowScheduler

# They give their scheduler the unshifted levels themselves.
WITH_OWN_LEVELS = ("HunyuanVideoPipeline", "FluxPipeline", "LTXPipeline")


def read_cell_levels(model: PlanModel, condition: PlanCondition) -> list[float]:
    """The noise level before each step that is run, sigma / (alpha + sigma), and 0 after the last."""
    place = locate_model(model_source(model))
    index = read_model_index(place)
    scheduler = build_scheduler(str(place), index["scheduler"][1], condition)
    call = {**model.call, **condition.call}
    steps = call[STEPS]
    if index["_class_name"] in WITH_OWN_LEVELS:
        scheduler.set_timesteps(sigmas=[1 - step / steps for step in range(steps)])
    elif isinstance(scheduler, RectifiedFlowScheduler):
        scheduler.set_timesteps(steps, **{size: call[size] for size in ("height", "width", "num_frames")})
    else:
        scheduler.set_timesteps(steps)
    levels = list(read_noise_levels(scheduler) or ())
    return levels[-1 - int(steps * call.get("strength", 1.0)) :]


def build_scheduler(place: str, saved: str, condition: PlanCondition) -> Any:
    """The scheduler of the condition, with the configuration that the model was saved with."""
    own = RectifiedFlowScheduler if saved == RectifiedFlowScheduler.__name__ else find_scheduler_class(saved)
    config = own.load_config(place, subfolder="scheduler")
    kind = find_scheduler_class(condition.scheduler) if condition.scheduler else own
    return kind.from_config(config, **condition.scheduler_options)
