"""A probe on a pipeline: computes everything, and sees what calibrations are made of."""

import functools
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from navicache.engine import Probe, Probing, Reader
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.engine_builder import describe_model_structure
from navicache.models import find_model
from navicache.policies import Signal


@contextmanager
def probe_pipeline(pipeline: Any, signal: Signal = "modulated") -> Generator[Probe, None, None]:
    """Look into the transformer of a diffusers pipeline while it generates; of two experts, into the first."""
    from navicache.integrations import diffusers

    module = next(iter(diffusers.find_denoisers(pipeline).values()))
    spec = find_model(type(module).__name__, diffusers.get_model_config(module))
    box = diffusers.CacheContextReceiver()
    around = functools.partial(diffusers.describe_call, box, pipeline, None)
    reader = Reader(spec.call, get_forward_signature(module))
    parts = describe_model_structure(module, "calibration")
    probe = Probe(parts, Probing(signal), reader, model=type(module).__name__, call=spec.call, surroundings=around)
    attachment = diffusers.HookAttachment(module, probe, box)
    try:
        yield probe
    finally:
        attachment.detach()
