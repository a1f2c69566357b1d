"""The wrappers around ComfyUI's functions; their state is in the options that ComfyUI passes."""

from typing import Any

from torch import Tensor

from . import policy_settings
from .evaluation_plan import plan_evaluations
from .rehearsal import rehearse_sampler
from .repeated_evaluations import raise_short_budget
from .report import PatchState
from .sampler_traits import classify_sampler
from .sampling_run import SamplingRun

WRAPPER_KEY = "navicache"  # of the wrappers, and of the patch state in a model's options
RUN_KEY = "navicache run"  # of the current sampling run, in the options of that run
SAMPLER_ARGUMENT, SIGMAS_ARGUMENT = 2, 3  # positions among the arguments of a sampling run
FULL_NOISE_SHARE = 0.999  # of the model's largest noise level: a run that starts below it is a partial run


def wrap_outer_sample(executor: Any, *args: Any, **kwargs: Any) -> Any:
    """Wrap a whole sampling run. ComfyUI makes new options for each run, so the state ends with it."""
    options = executor.class_obj.model_options["transformer_options"]
    state: PatchState = options[WRAPPER_KEY]
    run, note = _prepare_run(state, executor.class_obj, args[SAMPLER_ARGUMENT], args[SIGMAS_ARGUMENT])
    options[RUN_KEY], finished = run, False
    try:
        result = executor(*args, **kwargs)
        finished = True
    finally:
        del options[RUN_KEY]
        state.set_last_report(run.close(finished), note)
    return result


def _prepare_run(state: PatchState, guider: Any, sampler: Any, sigmas: Tensor) -> tuple[SamplingRun, str]:
    """The run of this sampler over these noise levels, and what the report says of its policy."""
    traits, levels = classify_sampler(sampler), sigmas.tolist()
    rehearsed = None if traits.bypass_reason else rehearse_sampler(sampler, sigmas, guider.model_patcher)
    plan = plan_evaluations(levels[:-1] if rehearsed is None else rehearsed, levels)
    policy, note = state.choose_run_policy(plan, getattr(guider, "cfg", None))
    sigma_max = float(guider.model_patcher.get_model_object("model_sampling").sigma_max)
    is_whole_run = levels[0] >= FULL_NOISE_SHARE * sigma_max and levels[-1] == 0
    policy = policy if is_whole_run else policy_settings.adapt_policy_to_partial_run(policy)
    if not traits.bypass_reason:
        policy, short_note = raise_short_budget(policy, len(plan.sigmas), is_whole_run)
        note = note or short_note
    return SamplingRun(policy, state.model_class, traits, plan, len(levels) - 1), note


def wrap_apply_model(executor: Any, x: Tensor, sigma: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Wrap one call of the model, which returns the denoised latent."""
    given = (value for value in (*args, *kwargs.values()) if isinstance(value, dict))
    options = next((value for value in given if RUN_KEY in value), None)
    if options is None:  # called outside of a sampling run
        return executor(x, sigma, *args, **kwargs)
    run: SamplingRun = options[RUN_KEY]
    return run.compute_or_predict(lambda: executor(x, sigma, *args, **kwargs), x, sigma, options)


# by ComfyUI's names of the wrapped functions
WRAPPERS = {"outer_sample": wrap_outer_sample, "apply_model": wrap_apply_model}
