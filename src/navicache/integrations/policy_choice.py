"""Choose a policy and its knobs: the user's come first, then the calibration's, then the model's preset."""

from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any

from navicache.engine import StorageOptions
from navicache.models import (
    QUALITIES,
    SPEEDUP_OF_QUALITY,
    Calibration,
    CallSpec,
    ModelSpec,
    Quality,
    TunedSettings,
    find_preset,
)
from navicache.policies import POLICIES, Policy, build_policy
from navicache.policies.knob_checks import check_choice
from navicache.records import ShadowMode

DEFAULT_POLICY = "inertial"
# The policy of a target if none is named: only the paper's policy has published thresholds.
POLICY_OF_TARGET = {"threshold": "navicache", "speedup": "inertial", "max_error": "inertial"}
DEFAULT_MODE = "mid"
WAN_THRESHOLD_POLICIES = ("navicache", "ema")  # the policies that a model's note is about
PAPER_TEXT_NOTE = "paper_text=True adds up all elements: multiply a threshold below 1 by them, or nothing is reused"


@dataclass(frozen=True)
class CacheOptions:
    """The arguments of `enable`, without the target."""

    policy: str | Policy | None = None
    mode: str | None = None
    call: CallSpec | None = None
    steps: int | None = None
    keep: StorageOptions = field(default_factory=StorageOptions)
    blocks: tuple[str, ...] = ()
    calibration: Calibration | None = None
    shadow: ShadowMode | None = None
    group: Any = None  # torch.distributed's ProcessGroup, None to look for one
    knobs: dict[str, Any] = field(default_factory=dict)
    settings: TunedSettings | None = None
    quality: Quality | None = None


def resolve_settings(options: CacheOptions) -> CacheOptions:
    """Replace a settings file by the policy and knobs it names, and a quality without one by its speed-up.

    Example:
        >>> resolve_settings(CacheOptions(quality="high")).knobs
        {'speedup': 2.0}
    """
    settings, quality = options.settings, options.quality
    if quality is not None:
        check_choice("quality", quality, QUALITIES)
    if settings is not None:
        choice = settings.get_choice(quality)
        policy, knobs = choice.policy, choice.knobs
    elif quality is not None:
        policy, knobs = None, {"speedup": SPEEDUP_OF_QUALITY[quality]}
    else:
        return options
    _refuse_other_targets(options)
    return replace(options, settings=None, quality=None, policy=policy, knobs={**knobs, **options.knobs})


def _refuse_other_targets(options: CacheOptions) -> None:
    """Raise ValueError for what a settings file or a quality already says."""
    others = {"policy": options.policy, "mode": options.mode, "calibration": options.calibration}
    targets = (name for name in options.knobs if name in POLICY_OF_TARGET)
    if given := [*(name for name, value in others.items() if value is not None), *targets]:
        what = "quality" if options.settings is None else "settings"
        raise ValueError(f"{what} and {' and '.join(given)} exclude each other: {what} has its own policy and target")


def choose_policy(options: CacheOptions, spec: ModelSpec) -> Policy:
    """Choose the policy of a settings file or quality, or of a name, or return the given policy."""
    policy = _choose_plain_policy(resolve_settings(options), spec)
    if options.settings is not None and policy.schemes()[0].site != "model":
        raise ValueError(
            f"the settings name {policy.name!r} inside the model, where no run that departs from them can take another "
            "policy: tune again, for policies that predict whole calls"
        )
    return policy


def _choose_plain_policy(options: CacheOptions, spec: ModelSpec) -> Policy:
    """Build the named policy from preset, calibration and the user's knobs, or return the given policy."""
    if options.policy is None or isinstance(options.policy, str):
        name = choose_policy_name(options.policy or _get_calibrated_policy(options), options.knobs)
        knobs = dict(find_preset(spec, name, options.mode or DEFAULT_MODE).knobs)
        if options.calibration is not None:
            check_calibration(options.calibration, name, spec)
            knobs |= options.calibration.knobs
        if not POLICY_OF_TARGET.keys().isdisjoint(options.knobs):
            # the user's target replaces the preset's, and holds for runs of any length
            knobs = {knob: value for knob, value in knobs.items() if knob not in {*POLICY_OF_TARGET, "shortest"}}
        if options.knobs.get("paper_text"):  # the presets follow the code where the two differ
            knobs = {knob: value for knob, value in knobs.items() if knob in ("threshold", "align_steps")}
        return build_policy(name, **{**knobs, **options.knobs})
    if isinstance(options.policy, type) or not callable(getattr(options.policy, "schemes", None)):
        raise TypeError(
            f"policy must be a name ({', '.join(POLICIES)}) or a policy such as navicache.policies.NaviCache(...), "
            f"got {options.policy!r}"
        )
    if options.mode is not None or options.knobs or options.calibration is not None:
        given = {"mode": options.mode, "calibration": options.calibration, **options.knobs}
        extra = ", ".join(name for name, value in given.items() if value is not None)
        raise ValueError(f"a ready-made policy has its own settings: leave out {extra}, or give the policy by name")
    return options.policy


def _get_calibrated_policy(options: CacheOptions) -> str | None:
    return None if options.calibration is None else options.calibration.method


def check_calibration(calibration: Calibration, policy_name: str, spec: ModelSpec) -> None:
    """Raise ValueError for a calibration of another policy or of another model class."""
    if calibration.method != policy_name:
        raise ValueError(f"this calibration is for policy {calibration.method!r}, not {policy_name!r}")
    if spec.transformer not in ("", calibration.model):
        raise ValueError(f"this calibration was made on a {calibration.model}, and the model is a {spec.transformer}")


def choose_policy_name(policy: str | None, knobs: Collection[str]) -> str:
    """Choose the policy by its name or by a target knob. Without either it is the default, which then takes no knobs.

    Example:
        >>> choose_policy_name(None, {"speedup": 2.0}), choose_policy_name(None, {"threshold": 0.05})
        ('inertial', 'navicache')
    """
    if policy is not None:
        return policy
    names = {POLICY_OF_TARGET[knob] for knob in knobs if knob in POLICY_OF_TARGET}
    name = next(iter(names)) if len(names) == 1 else DEFAULT_POLICY  # which refuses two targets
    known = POLICY_OF_TARGET.keys() | (_list_knobs(name) if names else ())
    for knob in knobs:
        if knob not in known:
            raise ValueError(_explain_knob_without_policy(knob))
    return name


def _explain_knob_without_policy(knob: str) -> str:
    having = [name for name in POLICIES if knob in _list_knobs(name)]
    if not having:
        near = get_close_matches(knob, sorted(set().union(*map(_list_knobs, POLICIES))), n=1)
        return f"no policy has a knob {knob!r}" + (f": did you mean {near[0]!r}?" if near else "")
    example = f'enable(target, "{having[0]}", {knob}=...)'
    return f"{knob} is a knob of {', '.join(having)}: name the policy too, as in {example}"


def _list_knobs(policy_name: str) -> set[str]:
    return {f.name for f in fields(POLICIES[policy_name])}  # pyright: ignore[reportArgumentType]


def explain_choice(spec: ModelSpec, options: CacheOptions) -> tuple[str, ...]:
    """Explain a quality that was not measured, an inferred preset, or a threshold made for the code; else empty."""
    note = _explain_choice(spec, options)
    return (note,) if note else ()


def _explain_choice(spec: ModelSpec, options: CacheOptions) -> str:
    if options.quality is not None and options.settings is None:
        return (
            f"quality {options.quality!r} is the default's speed-up of {SPEEDUP_OF_QUALITY[options.quality]:g} for "
            "that word, not measured on this model: find it with `navicache tune`"
        )
    options = resolve_settings(options)
    if isinstance(options.policy, str | None):
        name = choose_policy_name(options.policy or _get_calibrated_policy(options), options.knobs)
        chosen = find_preset(spec, name, options.mode or DEFAULT_MODE)
        if options.knobs.get("paper_text") and options.knobs.get("threshold", 0) < 1:
            return PAPER_TEXT_NOTE
        if chosen.inferred and "threshold" in chosen.knobs and "threshold" not in options.knobs:
            return spec.note if name in WAN_THRESHOLD_POLICIES else f"{name} on {spec.name}: {chosen.source}"
    return ""
