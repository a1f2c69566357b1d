"""`enable`: one line to put a cache on a pipeline, a model or a function."""

import functools
import logging
import os
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import torch
from torch import nn

from navicache.engine import Core, Host, Keep, Reader
from navicache.integrations.attach import (
    Attachment,
    CallableAttachment,
    ModuleAttachment,
    signature_of,
)
from navicache.integrations.build import build_engine
from navicache.integrations.cache import Cache
from navicache.models import Calibration, CallSpec, ModelSpec, find_model, preset, read_calibration
from navicache.policies import POLICIES, Policy, build_policy
from navicache.records import ShadowKind

logger = logging.getLogger("navicache")

DEFAULT_POLICY = "navicache"
DEFAULT_MODE = "mid"
TARGETS = {"threshold", "speedup", "max_error"}


@dataclass(frozen=True)
class Options:
    """What `enable` was asked for, beside the target."""

    policy: str | Policy | None
    mode: str | None
    call: CallSpec | None
    steps: int | None
    keep: Keep
    blocks: tuple[str, ...]
    calibration: Calibration | None
    shadow: ShadowKind | None
    knobs: dict[str, Any]


def enable(
    target: Any,
    policy: str | Policy | None = None,
    mode: str | None = None,
    *,
    call: CallSpec | None = None,
    steps: int | None = None,
    keep_dtype: torch.dtype | None = None,
    keep_device: torch.device | str | None = None,
    blocks: Sequence[str] = (),
    calibration: str | os.PathLike[str] | None = None,
    shadow: ShadowKind | None = None,
    **knobs: Any,
) -> Cache:
    """Cache a diffusers pipeline, a model, or any function that denoises.

    Args:
        target: a pipeline (all its transformers are cached), a module, or a callable.
        policy: a name of the catalog or a policy; the paper's by default.
        mode: "fast", "mid" or "slow" preset of the model at hand, for a policy given by name.
        call: where latent, time, conditioning and output are, for models that use unusual names.
        steps: number of steps of a run, where neither scheduler nor cache context tells it.
        keep_dtype: store kept tensors in this dtype, for instance torch.bfloat16.
        calibration: file of `navicache calibrate`, for the policy it was made for.
        blocks: attribute names of the model's lists of blocks, where they have unusual ones.
        keep_device: store kept tensors there, for instance "cpu"; every reuse then copies them back.
        shadow: run the model at every step and record the true error of each reuse: nothing gets faster. "cached" goes
            on with the predictions, as a cached run would; "full" with the truth, as the plain pipeline does.
        knobs: knobs of the policy, over those of the preset; `speedup=2.0` and `max_error=0.05` are targets in place
            of a threshold, which policy "inertial" knows how to meet.

    Example:
        >>> import torch
        >>> cache = enable(lambda x, t: -x, "static", interval=2, steps=10)
        >>> outputs = [cache(torch.ones(1, 4) * (10 - t), float(10 - t)) for t in range(10)]
        >>> cache.trace.runs[0].computed_steps()
        (0, 2, 4, 6, 8, 9)
    """
    if steps is not None and not (isinstance(steps, int) and steps > 0):
        raise ValueError(f"steps must be the number of steps of a run, got {steps!r}")
    if keep_dtype is not None and not isinstance(keep_dtype, torch.dtype):
        raise TypeError(f"keep_dtype must be a torch.dtype such as torch.bfloat16, got {keep_dtype!r}")
    if shadow not in (None, *get_args(ShadowKind)):
        raise ValueError(f"shadow must be one of {', '.join(map(repr, get_args(ShadowKind)))} or None, got {shadow!r}")
    device = torch.device(keep_device) if keep_device is not None else None
    kept = Keep(keep_dtype, device)
    measured = None if calibration is None else read_calibration(calibration)
    options = Options(policy, mode, call, steps, kept, tuple(blocks), measured, shadow, knobs)
    plan = _plan(target, options)
    attachments: dict[str, Attachment] = {}
    try:
        for name, attach in plan.parts.items():
            attachments[name] = attach()
    except BaseException:
        for attached in attachments.values():
            attached.detach()
        raise
    if plan.note:
        logger.warning(plan.note)
    return Cache(attachments, (plan.note,) if plan.note else ())


@dataclass(frozen=True)
class Plan:
    """What will be attached where; building it has no effect, so a mistake leaves the model untouched."""

    parts: dict[str, Callable[[], Attachment]]
    note: str


def _plan(target: Any, options: Options) -> Plan:
    if "diffusers" in sys.modules:
        from navicache.integrations import diffusers

        if isinstance(target, diffusers.PIPELINES):
            return _diffusers_plan(diffusers.denoisers(target), target, options)
        if diffusers.is_model(target):
            return _diffusers_plan({"": target}, None, options)
    if not callable(target):
        raise TypeError(f"cannot cache a {type(target).__name__}: pass a diffusers pipeline, a module or a function")
    spec = find_model(type(target).__name__)
    engine = _engine(options, spec, target, _name(target), functools.partial(Host, total=options.steps))
    kind = ModuleAttachment if isinstance(target, nn.Module) else CallableAttachment
    return Plan({"": functools.partial(kind, target, engine)}, _note(spec, options))


def _diffusers_plan(models: dict[str, nn.Module], pipeline: Any | None, options: Options) -> Plan:
    from navicache.integrations import diffusers

    first = next(iter(models.values()))
    spec = find_model(type(first).__name__, diffusers.config_of(first), experts=len(models))
    parts: dict[str, Callable[[], Attachment]] = {}
    for name, model in models.items():
        box = diffusers.ContextBox()
        surroundings = functools.partial(diffusers.surroundings, box, pipeline, options.steps)
        label = _name(model) if len(models) == 1 else f"{_name(model)} ({name})"
        engine = _engine(options, spec, model, label, surroundings)
        parts[name] = functools.partial(diffusers.HookAttachment, model, engine, box)
    return Plan(parts, _note(spec, options))


def _engine(
    options: Options, spec: ModelSpec, target: Callable[..., Any], label: str, surroundings: Callable[[], Host]
) -> Core:
    call = options.call or spec.call
    about = {"model": label, "call": call, "keep": options.keep, "shadow": options.shadow}
    reader = Reader(call, signature_of(target))
    return build_engine(_policy(options, spec), reader, target, options.blocks, surroundings=surroundings, **about)


def _policy(options: Options, spec: ModelSpec) -> Policy:
    if options.policy is None or isinstance(options.policy, str):
        name = policy_name(options.policy or _calibrated(options), options.knobs)
        knobs = dict(preset(spec, name, options.mode or DEFAULT_MODE).knobs)
        if options.calibration is not None:
            check_calibration(options.calibration, name, spec)
            knobs |= options.calibration.knobs
        if TARGETS & options.knobs.keys():  # the user's target, whichever of them the preset has
            knobs = {knob: value for knob, value in knobs.items() if knob not in TARGETS}
        if options.knobs.get("paper_text"):  # the presets follow the code where the two differ
            knobs = {knob: value for knob, value in knobs.items() if knob in ("threshold", "align_steps")}
        return build_policy(name, **{**knobs, **options.knobs})
    if isinstance(options.policy, type) or not callable(getattr(options.policy, "schemes", None)):
        raise TypeError(
            f"policy must be a name ({', '.join(POLICIES)}) or a policy such as navicache.policies.NaviCache(...), "
            f"got {options.policy!r}"
        )
    if options.mode is not None or options.knobs:
        extra = ", ".join([*(["mode"] if options.mode else []), *options.knobs])
        raise ValueError(f"a ready-made policy has its own settings: leave out {extra}, or give the policy by name")
    return options.policy


def _calibrated(options: Options) -> str | None:
    return None if options.calibration is None else options.calibration.method


def check_calibration(calibration: Calibration, policy: str, spec: ModelSpec) -> None:
    """Refuse a calibration of another policy, or of another kind of model."""
    if calibration.method != policy:
        raise ValueError(f"this calibration is for policy {calibration.method!r}, not {policy!r}")
    if spec.transformer not in ("", calibration.model):
        raise ValueError(f"this calibration was made on a {calibration.model}, and the model is a {spec.transformer}")


def policy_name(policy: str | None, knobs: Collection[str]) -> str:
    """The policy asked for; a speed-up or an error as the target is what `inertial` is for.

    Example:
        >>> policy_name(None, {"speedup": 2.0}), policy_name(None, {})
        ('inertial', 'navicache')
    """
    return policy or ("inertial" if {"speedup", "max_error"} & set(knobs) else DEFAULT_POLICY)


def _note(spec: ModelSpec, options: Options) -> str:
    """What to tell about a setting nobody has published; nothing where the user chose, or where nothing was guessed."""
    if isinstance(options.policy, str | None):
        name = policy_name(options.policy, options.knobs)
        chosen = preset(spec, name, options.mode or DEFAULT_MODE)
        if chosen.inferred and "threshold" in chosen.knobs and "threshold" not in options.knobs:
            return spec.note
    return ""


def _name(target: Any) -> str:
    return getattr(target, "__name__", type(target).__name__)
