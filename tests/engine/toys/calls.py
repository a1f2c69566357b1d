"""Calls by hand, and what becomes of a position when they are placed: the pure half of an engine's step."""

from dataclasses import replace

import torch
from torch import Tensor

from navicache.engine.tensors.fetch import fetch
from navicache.engine.tracking.call import Call
from navicache.engine.tracking.place import open_questions, place, settle
from navicache.engine.tracking.placement import Host, Placement
from navicache.engine.tracking.tracker import Tracker

COND, UNCOND = torch.zeros(1, 3), torch.ones(1, 3)
LATENTS = [torch.full((1, 4), 9.0 - i) for i in range(9)]
NOBODY = Host()  # tells anything
TIMESTEPS = object()  # stands for the tensor a scheduler holds


def called(x: Tensor = LATENTS[0], text: Tensor = COND, time: float | None = 9.0, form: object = None) -> Call:
    """A call with this latent, conditioning and time."""
    return Call((x,), False, time, (text,), form, (x,))


def found(at: Tracker, call: Call, host: Host = NOBODY) -> Placement:
    """Where a call belongs, all questions answered."""
    placement = place(at, call, at.trusted(host))
    if placement.kind == "run" or placement.certain:
        return placement
    fetch(open_questions(at, placement))
    unchanged = placement.kind == "follow" or not at.latent or torch.equal(at.latent[0], call.raw[0])
    return settle(at, placement, unchanged)


def after(at: Tracker, call: Call, host: Host = NOBODY, relaxed: bool = False) -> Tracker:
    """Where the next call starts from; `at` stays as it is."""
    moved = copied(at)
    moved.move(found(at, call, host), call, at.trusted(host), relaxed)
    return moved


def forgotten(at: Tracker, why: str) -> Tracker:
    """The same when the next call begins a run."""
    at = copied(at)
    at.forget(why)
    return at


def closed(at: Tracker) -> Tracker:
    """The same when a new run is expected."""
    at = copied(at)
    at.close()
    return at


def copied(at: Tracker) -> Tracker:
    """Another tracker at the same place."""
    return replace(at, called=[*at.called], conditioning={**at.conditioning})


def named(name: str, index: int, total: int | None = 9, token: object = TIMESTEPS) -> Host:
    """Surroundings of a diffusers pipeline: a cache context and a scheduler."""
    return Host(name, index, total, None, token)


def numbered(name: str, index: int) -> Host:
    """A scheduler without cache contexts."""
    del name
    return Host(None, index, 9, None, TIMESTEPS)


def context(name: str, index: int) -> Host:
    """A cache context without a scheduler."""
    return Host(name, index)


def silent(name: str, index: int) -> Host:
    """A plain function: nobody tells anything."""
    del name, index
    return NOBODY


def played(hosts, steps: int = 2, texts=(COND, UNCOND)) -> Tracker:
    """The position after some steps with a call for each conditioning; `hosts(name, index)` tells where."""
    at = Tracker()
    for i in range(steps):
        for name, text in zip(("cond", "uncond"), texts, strict=False):
            at = after(at, called(LATENTS[i], text, 9.0 - i), hosts(name, i))
    return at
