"""`enable`: cache a pipeline, a model or a function with one line."""

import functools
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import torch
from torch import nn

from navicache.engine import CacheEngine, CallFacts, CallReader, FallbackPolicy, StorageOptions
from navicache.integrations.attachments import Attachment, CallableAttachment, ModuleAttachment, get_forward_signature
from navicache.integrations.cache import Cache
from navicache.integrations.denoiser_search import explain_uncached_models, find_denoisers, find_exchanged_models
from navicache.integrations.engine_builder import build_engine
from navicache.integrations.policy_choice import CacheOptions, choose_policy, explain_choice
from navicache.integrations.rank_groups import find_ranks, get_class_name
from navicache.integrations.scheduler import find_scheduler_name
from navicache.integrations.tuned_runs import build_pipeline_fallback, check_tuned_model
from navicache.models import CallSpec, ModelSpec, Quality, find_model, read_calibration, read_settings
from navicache.policies import Policy
from navicache.records import ShadowMode

logger = logging.getLogger("navicache")


def enable(
    target: Any,
    policy: str | Policy | None = None,
    mode: str | None = None,
    *,
    settings: str | os.PathLike[str] | None = None,
    quality: Quality | None = None,
    call: CallSpec | None = None,
    steps: int | None = None,
    keep_dtype: torch.dtype | None = None,
    keep_device: torch.device | str | None = None,
    blocks: Sequence[str] = (),
    calibration: str | os.PathLike[str] | None = None,
    shadow: ShadowMode | None = None,
    group: Any = None,
    **knobs: Any,
) -> Cache:
    """Cache a diffusers pipeline, a model, or any function that denoises.

    Args:
        target: a pipeline (all models that denoise are cached), a module, or a callable.
        policy: the name of a policy or a policy; "inertial" by default. With a threshold and no name it is
            "navicache", whose thresholds are published.
        mode: "fast", "mid" or "slow" preset of the model, for a policy given by name.
        settings: file of `navicache tune`, in place of policy, mode and target. Another model is refused. A run that
            differs from the measured one in steps, noise levels, scheduler or guidance warns, and uses "inertial" at
            the file's speed-up. Of a plain module or function only class or name, and known sizes, are compared.
        quality: "lossless", "high" or "fast": what the settings file has for it; without a file, a speed-up of the
            default policy, which is not measured on the model.
        call: where latent, time, conditioning and output are, for models with unusual argument names.
        steps: number of steps of a run, if neither scheduler nor cache context provides it.
        keep_dtype: store kept tensors in this dtype, for instance torch.bfloat16.
        keep_device: store kept tensors on this device, for instance "cpu"; every reuse then copies them back.
        blocks: attribute names of the model's lists of blocks, if they are unusual.
        calibration: file of `navicache calibrate`, for its policy.
        shadow: run the model at every step and record the true error of each reuse: nothing gets faster. "cached"
            continues with the predictions, as a cached run does; "full" with the computed outputs.
        group: torch.distributed process group of the ranks that call this model together and must decide alike;
            found automatically under context parallelism of diffusers, tensor parallelism and FSDP2.
        knobs: knobs of the policy; they override those of the preset. `speedup=2.0` and `max_error=0.05` are targets
            of policy "inertial".

    Example:
        >>> import torch
        >>> cache = enable(lambda x, t: -x, "static", interval=2, steps=10)
        >>> outputs = [cache(torch.ones(1, 4) * (10 - t), float(10 - t)) for t in range(10)]
        >>> cache.trace.runs[0].computed_steps()
        (0, 2, 4, 6, 8, 9)
    """
    _check_arguments(steps, keep_dtype, shadow)
    kept = StorageOptions(keep_dtype, None if keep_device is None else torch.device(keep_device))
    measured = None if calibration is None else read_calibration(calibration)
    tuned = None if settings is None else read_settings(settings)
    about = (call, steps, kept, tuple(blocks), measured, shadow, group)
    options = CacheOptions(policy, mode, *about, knobs, tuned, quality)
    plan = _plan_attachments(target, options)
    attachments = plan.attach_all()
    for note in plan.notes:
        logger.warning(note)
    return Cache(attachments, plan.notes, plan.find_exchanged)


@dataclass(frozen=True)
class AttachmentPlan:
    """What to attach, and where. Building it changes nothing, so an error leaves the model untouched."""

    attach_functions: dict[str, Callable[[], Attachment]]
    notes: tuple[str, ...]
    find_exchanged: Callable[[], Sequence[str]] = tuple

    def attach_all(self) -> dict[str, Attachment]:
        """Attach all parts; if one fails, none stays attached."""
        attachments: dict[str, Attachment] = {}
        try:
            for name, attach in self.attach_functions.items():
                attachments[name] = attach()
        except BaseException:
            for attached in attachments.values():
                attached.detach()
            raise
        return attachments


def _check_arguments(steps: int | None, keep_dtype: torch.dtype | None, shadow: ShadowMode | None) -> None:
    if steps is not None and not (isinstance(steps, int) and steps > 0):
        raise ValueError(f"steps must be the number of steps of a run, got {steps!r}")
    if keep_dtype is not None and not isinstance(keep_dtype, torch.dtype):
        raise TypeError(f"keep_dtype must be a torch.dtype such as torch.bfloat16, got {keep_dtype!r}")
    if shadow not in (None, *get_args(ShadowMode)):
        raise ValueError(f"shadow must be one of {', '.join(map(repr, get_args(ShadowMode)))} or None, got {shadow!r}")


def _plan_attachments(target: Any, options: CacheOptions) -> AttachmentPlan:
    if "diffusers" in sys.modules:
        from navicache.integrations import diffusers

        if isinstance(target, diffusers.PIPELINE_CLASSES):
            return _plan_diffusers_attachments(find_denoisers(target), target, options)
        if diffusers.is_diffusers_model(target):
            return _plan_diffusers_attachments({"": target}, None, options)
    if not callable(target):
        raise TypeError(f"cannot cache a {type(target).__name__}: pass a diffusers pipeline, a module or a function")
    name, attributes = _get_target_name(target), vars(target) if isinstance(target, nn.Module) else {}
    check_tuned_model(options.settings, name, attributes)
    spec, describe_call = find_model(name, attributes), functools.partial(CallFacts, total=options.steps)
    engine = _build_target_engine(
        options, spec, target, name, describe_call, build_pipeline_fallback(options, spec, None)
    )
    kind = ModuleAttachment if isinstance(target, nn.Module) else CallableAttachment
    return AttachmentPlan({"": functools.partial(kind, target, engine)}, explain_choice(spec, options))


def _plan_diffusers_attachments(
    models: dict[str, nn.Module], pipeline: Any | None, options: CacheOptions
) -> AttachmentPlan:
    from navicache.integrations import diffusers

    first = next(iter(models.values()))
    name, config = get_class_name(getattr(first, "_orig_mod", first)), diffusers.get_model_config(first)
    if options.settings is not None:
        options.settings.check_model(name, config)
    spec = find_model(get_class_name(first), config, experts=len(models))
    fallback = build_pipeline_fallback(options, spec, pipeline)
    parts: dict[str, Callable[[], Attachment]] = {}
    for name, model in models.items():
        receiver, scheduler = diffusers.CacheContextReceiver(), find_scheduler_name(pipeline, name)
        describe_call = functools.partial(diffusers.describe_call, receiver, pipeline, options.steps, scheduler)
        label = _get_target_name(model) if len(models) == 1 else f"{_get_target_name(model)} ({name})"
        engine = _build_target_engine(options, spec, model, label, describe_call, fallback)
        parts[name] = functools.partial(diffusers.HookAttachment, model, engine, receiver)
    if pipeline is None:
        return AttachmentPlan(parts, explain_choice(spec, options))
    notes = explain_choice(spec, options) + explain_uncached_models(pipeline)
    return AttachmentPlan(parts, notes, functools.partial(find_exchanged_models, pipeline, models))


def _build_target_engine(
    options: CacheOptions,
    spec: ModelSpec,
    target: Callable[..., Any],
    label: str,
    describe_call: Callable[[], CallFacts],
    fallback: FallbackPolicy | None,
) -> CacheEngine:
    call = options.call or spec.call
    about = {"model": label, "call": call, "keep": options.keep, "shadow": options.shadow, "fallback": fallback}
    about["find_ranks"] = functools.partial(find_ranks, target, options.group)
    policy, reader = choose_policy(options, spec), CallReader(call, get_forward_signature(target))
    engine = build_engine(policy, reader, target, options.blocks, describe_call=describe_call, **about)
    engine.recorder.lone_runs.set_listener(logger.warning)
    return engine


def _get_target_name(target: Any) -> str:
    return getattr(target, "__name__", get_class_name(target))
