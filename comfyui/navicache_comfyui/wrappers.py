"""The wrappers around ComfyUI's functions; their state is in the options that ComfyUI passes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from torch import Tensor

from . import policy_settings
from .evaluation_budget import fit_budget
from .evaluation_plan import EvaluationPlan, plan_evaluations
from .neighbours import count_switches, describe_other_caches
from .rehearsal import rehearse_sampler
from .report import PatchState
from .sampler_traits import classify_sampler
from .sampling_run import RunFacts, SamplingRun

WRAPPER_KEY = "navicache"  # of the wrappers, and of the patch state in a model's options
RUN_KEY = "navicache run"  # of the current sampling run, in the options of that run
NOISE_ARGUMENT, SAMPLER_ARGUMENT, SIGMAS_ARGUMENT = 0, 2, 3  # positions among the arguments of a sampling run
FULL_NOISE_SHARE = 0.999  # of the model's largest noise level: a run that starts below it is a partial run


def wrap_outer_sample(executor: Any, *args: Any, **kwargs: Any) -> Any:
    """Wrap a whole sampling run. ComfyUI makes new options for each run, so the state ends with it."""
    options = executor.class_obj.model_options["transformer_options"]
    state: PatchState = options[WRAPPER_KEY]
    given = (args[position] for position in (NOISE_ARGUMENT, SAMPLER_ARGUMENT, SIGMAS_ARGUMENT))
    run, notes = _prepare_run(state, executor.class_obj, *given)
    options[RUN_KEY], finished = run, False
    try:
        result = executor(*args, **kwargs)
        finished = True
    finally:
        del options[RUN_KEY]
        state.set_last_report(run.close(finished), notes)
    return result


def _prepare_run(
    state: PatchState, guider: Any, noise: Tensor, sampler: Any, sigmas: Tensor
) -> tuple[SamplingRun, tuple[str, ...]]:
    """The run of this sampler over these noise levels, and what the report says of its policy."""
    traits, levels = classify_sampler(sampler), sigmas.tolist()
    rehearsed = None if traits.bypass_reason else rehearse_sampler(sampler, sigmas, guider.model_patcher)
    sampling = guider.model_patcher.get_model_object("model_sampling")
    is_flow = max(float(sampling.sigma_max), *levels) <= 1
    plan = plan_evaluations(levels[:-1] if rehearsed is None else rehearsed, levels, is_flow)
    policy, departure = state.choose_run_policy(plan, getattr(guider, "cfg", None))
    from_full_noise = levels[0] >= FULL_NOISE_SHARE * float(sampling.sigma_max)
    is_whole_run = from_full_noise and levels[-1] == 0
    plan = replace(plan, is_continued=not from_full_noise and is_denoised_further(noise, levels))
    plan = _keep_cached_part(plan, state, sampling)
    too_short = ""
    if not is_whole_run:
        policy = policy_settings.adapt_policy_to_partial_run(policy)
    if not traits.bypass_reason:
        switches = count_switches(guider.conds, plan, sampling.percent_to_sigma)
        policy, too_short = fit_budget(policy, plan, switches, is_whole_run)
    facts = RunFacts(state.model_class, len(levels) - 1, state.keep)
    notes = (departure, too_short, *describe_other_caches(guider.model_options["transformer_options"]))
    return SamplingRun(policy, traits, plan, facts), notes


def is_denoised_further(noise: Tensor, levels: Sequence[float]) -> bool:
    """Whether a sampler goes on where another stopped: down from a latent that gets no noise.

    Example:
        >>> import torch
        >>> is_denoised_further(torch.zeros(4), (0.6, 0.3, 0.0)), is_denoised_further(torch.ones(4), (0.6, 0.3, 0.0))
        (True, False)
    """
    return levels[0] > levels[-1] and not noise.any()


def _keep_cached_part(plan: EvaluationPlan, state: PatchState, sampling: Any) -> EvaluationPlan:
    """The plan between the start and the end that the user has set, as ComfyUI turns shares into noise levels."""
    if (state.start_percent, state.end_percent) == (0.0, 1.0):
        return plan
    highest, lowest = (float(sampling.percent_to_sigma(share)) for share in (state.start_percent, state.end_percent))
    return plan.keep_between(highest, lowest)


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
