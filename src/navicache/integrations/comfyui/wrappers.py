"""What stands around ComfyUI's own functions: plain functions, whose state is in the options they are handed."""

from typing import Any

from torch import Tensor

from navicache.integrations.comfyui import policy_settings
from navicache.integrations.comfyui.report import PatchState
from navicache.integrations.comfyui.sampler_traits import classify_sampler
from navicache.integrations.comfyui.sampling_run import SamplingRun

WRAPPER_KEY = "navicache"  # of our wrappers, and of the journal in a model's options
RUN_KEY = "navicache run"  # of the sampling run at hand, in the options of that run alone
SAMPLER_ARGUMENT, SIGMAS_ARGUMENT = 2, 3  # their places among the arguments of a sampling run
FULL_NOISE_SHARE = 0.999  # of the most noise a model knows: where a run begins that is not a part of another


def wrap_outer_sample(executor: Any, *args: Any, **kwargs: Any) -> Any:
    """Around a whole sampling run; the options of a run are the run's own, and die with it."""
    guider, sigmas = executor.class_obj, args[SIGMAS_ARGUMENT].tolist()
    options = guider.model_options["transformer_options"]
    journal: PatchState = options[WRAPPER_KEY]
    most = float(guider.model_patcher.get_model_object("model_sampling").sigma_max)
    begins, ends, sampler = (
        sigmas[0] >= FULL_NOISE_SHARE * most,
        sigmas[-1] == 0,
        classify_sampler(args[SAMPLER_ARGUMENT]),
    )
    policy = journal.policy if begins and ends else policy_settings.adapt_policy_to_partial_run(journal.policy)
    run = SamplingRun(policy, journal.model_class, sampler, sigmas)
    options[RUN_KEY], finished = run, False
    try:
        result = executor(*args, **kwargs)
        finished = True
    finally:
        del options[RUN_KEY]
        journal.set_last_report(run.close(finished))
    return result


def wrap_apply_model(executor: Any, x: Tensor, sigma: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Around one call of the model, which returns the denoised latent."""
    given = (value for value in (*args, *kwargs.values()) if isinstance(value, dict))
    options = next((value for value in given if RUN_KEY in value), None)
    if options is None:  # called outside of a sampling run
        return executor(x, sigma, *args, **kwargs)
    return options[RUN_KEY].answer(lambda: executor(x, sigma, *args, **kwargs), x, sigma, options)


WRAPPERS = {
    "outer_sample": wrap_outer_sample,
    "apply_model": wrap_apply_model,
}  # by the names ComfyUI has for these places
