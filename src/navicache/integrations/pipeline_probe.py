"""Attach a probe to a pipeline: it computes every step and measures what calibrations need."""

import functools
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from navicache.engine import CallReader, ProbeEngine
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.engine_builder import describe_model_structure
from navicache.models import find_model
from navicache.policies import ProbePolicy, Signal


@contextmanager
def probe_pipeline(pipeline: Any, signal: Signal = "modulated") -> Generator[ProbeEngine, None, None]:
    """Measure the transformer of a diffusers pipeline while it generates; of two experts, the first."""
    from navicache.integrations import diffusers

    module = next(iter(diffusers.find_denoisers(pipeline).values()))
    spec = find_model(type(module).__name__, diffusers.get_model_config(module))
    receiver = diffusers.CacheContextReceiver()
    describe = functools.partial(diffusers.describe_call, receiver, pipeline, None)
    reader = CallReader(spec.call, get_forward_signature(module))
    structure = describe_model_structure(module, "calibration")
    name = type(module).__name__
    probe = ProbeEngine(structure, ProbePolicy(signal), reader, model=name, call=spec.call, describe_call=describe)
    attachment = diffusers.HookAttachment(module, probe, receiver)
    try:
        yield probe
    finally:
        attachment.detach()
