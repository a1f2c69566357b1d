"""A probe on a pipeline: computes everything, and sees what calibrations are made of."""

import functools
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from navicache.engine import Probe, Reader
from navicache.integrations.attach import signature_of
from navicache.integrations.build import anatomy
from navicache.models import find_model
from navicache.policies import ProbePolicy, Signal


@contextmanager
def probed(pipeline: Any, signal: Signal = "modulated") -> Generator[Probe, None, None]:
    """Look into the transformer of a diffusers pipeline while it generates; of two experts, into the first."""
    from navicache.integrations import diffusers

    module = next(iter(diffusers.denoisers(pipeline).values()))
    spec = find_model(type(module).__name__, diffusers.config_of(module))
    box = diffusers.ContextBox()
    around = functools.partial(diffusers.surroundings, box, pipeline, None)
    reader = Reader(spec.call, signature_of(module))
    parts = anatomy(module, "calibration")
    probe = Probe(parts, ProbePolicy(signal), reader, model=type(module).__name__, call=spec.call, surroundings=around)
    attachment = diffusers.HookAttachment(module, probe, box)
    try:
        yield probe
    finally:
        attachment.detach()
