"""Attach an engine that measures to a pipeline: what calibrations need to know of every step."""

import functools
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

from navicache.engine import CacheEngine, CallReader, ProbeEngine
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.denoiser_search import find_denoisers
from navicache.integrations.engine_builder import describe_model_structure
from navicache.models import find_model
from navicache.policies import ProbePolicy, Signal

EngineT = TypeVar("EngineT", bound=CacheEngine)


def probe_pipeline(pipeline: Any, signal: Signal = "modulated") -> AbstractContextManager[ProbeEngine]:
    """Compute and measure every step of a diffusers pipeline's transformer while it generates."""

    def build(module: Any, reader: CallReader, **about: Any) -> ProbeEngine:
        return ProbeEngine(describe_model_structure(module, "calibration"), ProbePolicy(signal), reader, **about)

    return attach_to_pipeline(pipeline, build)


@contextmanager
def attach_to_pipeline(pipeline: Any, build: Callable[..., EngineT]) -> Generator[EngineT, None, None]:
    """Attach the engine that `build` makes to a diffusers pipeline's transformer; of two experts, to the first."""
    from navicache.integrations import diffusers

    module = next(iter(find_denoisers(pipeline).values()))
    name, spec = type(module).__name__, find_model(type(module).__name__, diffusers.get_model_config(module))
    receiver = diffusers.CacheContextReceiver()
    describe = functools.partial(diffusers.describe_call, receiver, pipeline, None)
    reader = CallReader(spec.call, get_forward_signature(module))
    engine = build(module, reader, model=name, call=spec.call, describe_call=describe)
    attachment = diffusers.HookAttachment(module, engine, receiver)
    try:
        yield engine
    finally:
        attachment.detach()
