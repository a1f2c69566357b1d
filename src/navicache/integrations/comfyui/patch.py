"""`attach`: a clone of ComfyUI's MODEL with the cache in it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from torch import Tensor

from navicache.integrations.comfyui import settings
from navicache.integrations.comfyui.report import Journal, Report
from navicache.integrations.comfyui.samplers import known
from navicache.integrations.comfyui.sampling import Sampling
from navicache.integrations.groups import class_name
from navicache.policies import Policy

KEY = "navicache"  # of our wrappers, and of the journal in a model's options
RUN = "navicache run"  # of the sampling run at hand, in the options of that run alone
OUTER_SAMPLE, APPLY_MODEL = "outer_sample", "apply_model"  # as ComfyUI names its wrappers
SAMPLER, SIGMAS = 2, 3  # their places among the arguments of a sampling run
FULL = 0.999  # of the most noise a model knows: where a run begins that is not a part of another


@runtime_checkable
class Patcher(Protocol):
    """What is used of ComfyUI's ModelPatcher."""

    model: Any
    model_options: dict[str, Any]

    def clone(self) -> Any:
        """Another handle on the same weights."""
        ...

    def add_wrapper_with_key(self, wrapper_type: str, key: str, wrapper: Callable[..., Any]) -> None:
        """Put a function around one of ComfyUI's own."""
        ...

    def remove_wrappers_with_key(self, wrapper_type: str, key: str) -> None:
        """Take it off."""
        ...


def attach(
    model: Any,
    *,
    speedup: float | None = None,
    quality: str | None = None,
    max_error: float | None = None,
    policy: str | Policy | None = None,
    knobs: Mapping[str, Any] | None = None,
) -> Any:
    """A clone of ComfyUI's MODEL that computes fewer evaluations; the model itself is left as it is.

    Args:
        model: what the nodes of ComfyUI hand to each other as MODEL.
        speedup: steps of a run over computed steps. 1 gives a clone without any cache.
        quality: "slow", "mid" or "fast" preset of the model at hand; "mid" where no target is given.
        max_error: relative error of the output that no reused step should exceed.
        policy: a name of the catalog or a policy that predicts whole calls; "inertial" by default.
        knobs: knobs of the policy, over those of the preset.
    """
    if not isinstance(model, Patcher):
        raise TypeError(
            f"cannot cache a {type(model).__name__}: give the MODEL of a loader node; if it is one, update ComfyUI"
        )
    settings.check_targets(speedup, quality, max_error)
    patched = _plain(model)
    if speedup == 1:
        return patched
    targets = {"speedup": speedup, "max_error": max_error}
    given = {name: value for name, value in targets.items() if value is not None}
    module = model.model.diffusion_model
    chosen, note = settings.choose(module, policy, quality, {**given, **(knobs or {})})
    journal = Journal(chosen, class_name(module), (note,) if note else ())
    patched.model_options.setdefault("transformer_options", {})[KEY] = journal
    patched.add_wrapper_with_key(OUTER_SAMPLE, KEY, outer_sample)
    patched.add_wrapper_with_key(APPLY_MODEL, KEY, apply_model)
    return patched


def last_run(model: Any) -> Report | None:
    """What happened in the newest sampling run of a patched model or of its clones; None before the first."""
    journal = model.model_options.get("transformer_options", {}).get(KEY)
    return None if journal is None else journal.last


def _plain(model: Patcher) -> Any:
    """A clone without a cache of ours: a second one takes the place of the first."""
    clone = model.clone()
    clone.model_options.get("transformer_options", {}).pop(KEY, None)
    for kind in (OUTER_SAMPLE, APPLY_MODEL):
        clone.remove_wrappers_with_key(kind, KEY)
    return clone


def outer_sample(executor: Any, *args: Any, **kwargs: Any) -> Any:
    """Around a whole sampling run; the options of a run are the run's own, and die with it."""
    guider, sigmas = executor.class_obj, args[SIGMAS].tolist()
    options = guider.model_options["transformer_options"]
    journal: Journal = options[KEY]
    most = float(guider.model_patcher.get_model_object("model_sampling").sigma_max)
    whole = sigmas[-1] == 0 and sigmas[0] >= FULL * most
    policy = journal.policy if whole else settings.for_part(journal.policy)
    run = Sampling(policy, journal.model, known(args[SAMPLER]), sigmas)
    options[RUN], finished = run, False
    try:
        result = executor(*args, **kwargs)
        finished = True
    finally:
        del options[RUN]
        journal.write(run.close(finished))
    return result


def apply_model(executor: Any, x: Tensor, sigma: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Around one call of the model, which returns the denoised latent."""
    given = (value for value in (*args, *kwargs.values()) if isinstance(value, dict))
    options = next((value for value in given if RUN in value), None)
    if options is None:  # called outside of a sampling run
        return executor(x, sigma, *args, **kwargs)
    return options[RUN].answer(lambda: executor(x, sigma, *args, **kwargs), x, sigma, options)
