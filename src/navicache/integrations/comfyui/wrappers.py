"""What stands around ComfyUI's own functions: plain functions, whose state is in the options they are handed."""

from typing import Any

from torch import Tensor

from navicache.integrations.comfyui import settings
from navicache.integrations.comfyui.report import Journal
from navicache.integrations.comfyui.samplers import known
from navicache.integrations.comfyui.sampling import Sampling

KEY = "navicache"  # of our wrappers, and of the journal in a model's options
RUN = "navicache run"  # of the sampling run at hand, in the options of that run alone
SAMPLER, SIGMAS = 2, 3  # their places among the arguments of a sampling run
FULL = 0.999  # of the most noise a model knows: where a run begins that is not a part of another


def outer_sample(executor: Any, *args: Any, **kwargs: Any) -> Any:
    """Around a whole sampling run; the options of a run are the run's own, and die with it."""
    guider, sigmas = executor.class_obj, args[SIGMAS].tolist()
    options = guider.model_options["transformer_options"]
    journal: Journal = options[KEY]
    most = float(guider.model_patcher.get_model_object("model_sampling").sigma_max)
    begins, ends, sampler = sigmas[0] >= FULL * most, sigmas[-1] == 0, known(args[SAMPLER])
    policy = journal.policy if begins and ends else settings.for_part(journal.policy)
    run = Sampling(policy, journal.model, sampler, sigmas)
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


WRAPPERS = {"outer_sample": outer_sample, "apply_model": apply_model}  # by the names ComfyUI has for these places
