"""Calls by hand, and what becomes of a position when they are placed: the pure half of an engine's step."""

from dataclasses import replace

import torch
from torch import Tensor

from navicache.engine.tensors.device_readings import fetch_readings
from navicache.engine.tracking.model_call import ModelCall
from navicache.engine.tracking.placement import CallFacts, CallPlacement
from navicache.engine.tracking.placement_rules import list_placement_readings, place_call, resolve_placement
from navicache.engine.tracking.run_tracker import RunTracker

COND, UNCOND = torch.zeros(1, 3), torch.ones(1, 3)
LATENTS = [torch.full((1, 4), 9.0 - i) for i in range(9)]
NOBODY = CallFacts()  # tells anything
TIMESTEPS = object()  # stands for the tensor a scheduler holds


def called(x: Tensor = LATENTS[0], text: Tensor = COND, time: float | None = 9.0, form: object = None) -> ModelCall:
    """A call with this latent, conditioning and time."""
    return ModelCall((x,), False, time, (text,), form, (x,))


def found(at: RunTracker, call: ModelCall, host: CallFacts = NOBODY) -> CallPlacement:
    """Where a call belongs, all questions answered."""
    placement = place_call(at, call, at.drop_stale_fields(host))
    if placement.kind == "run" or placement.is_certain:
        return placement
    fetch_readings(list_placement_readings(at, placement))
    unchanged = placement.kind == "follow" or not at.latent or torch.equal(at.latent[0], call.model_latent[0])
    return resolve_placement(at, placement, unchanged)


def after(at: RunTracker, call: ModelCall, host: CallFacts = NOBODY, relaxed: bool = False) -> RunTracker:
    """Where the next call starts from; `at` stays as it is."""
    moved = copied(at)
    moved.move_to(found(at, call, host), call, at.drop_stale_fields(host), relaxed)
    return moved


def forgotten(at: RunTracker, why: str) -> RunTracker:
    """The same when the next call begins a run."""
    at = copied(at)
    at.expect_new_run(why)
    return at


def closed(at: RunTracker) -> RunTracker:
    """The same when a new run is expected."""
    at = copied(at)
    at.mark_done()
    return at


def copied(at: RunTracker) -> RunTracker:
    """Another tracker at the same place."""
    return replace(at, called_streams=[*at.called_streams], conditioning={**at.conditioning})


def named(name: str, index: int, total: int | None = 9, token: object = TIMESTEPS) -> CallFacts:
    """Surroundings of a diffusers pipeline: a cache context and a scheduler."""
    return CallFacts(name, index, total, None, token)


def numbered(name: str, index: int) -> CallFacts:
    """A scheduler without cache contexts."""
    del name
    return CallFacts(None, index, 9, None, TIMESTEPS)


def context(name: str, index: int) -> CallFacts:
    """A cache context without a scheduler."""
    return CallFacts(name, index)


def silent(name: str, index: int) -> CallFacts:
    """A plain function: nobody tells anything."""
    del name, index
    return NOBODY


def played(hosts, steps: int = 2, texts=(COND, UNCOND)) -> RunTracker:
    """The position after some steps with a call for each conditioning; `hosts(name, index)` tells where."""
    at = RunTracker()
    for i in range(steps):
        for name, text in zip(("cond", "uncond"), texts, strict=False):
            at = after(at, called(LATENTS[i], text, 9.0 - i), hosts(name, i))
    return at
