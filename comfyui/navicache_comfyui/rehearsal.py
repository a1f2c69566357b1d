"""Rehearse a sampler on a few numbers: run it with a stand-in for the model that notes the noise level of each call.

A sampler gets the noise levels of its steps, and evaluates the model once, twice or three times in each: at the levels
themselves, ahead of them or between them. Nothing but the sampler says where.
"""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

TOY_SHAPE = (1, 4, 2, 2)


class RehearsalModel:
    """What a sampler calls as its model; its answers are as large as its inputs, and mean nothing."""

    def __init__(self, model_patcher: Any) -> None:
        """Start before the first call. Some samplers ask the model's patcher for the kind of its noise levels."""
        sampling = model_patcher.get_model_object("model_sampling")
        self.inner_model = SimpleNamespace(
            model_patcher=model_patcher, inner_model=SimpleNamespace(model_sampling=sampling)
        )
        self.sigmas: list[float] = []  # of the calls so far

    def __call__(self, x: Tensor, sigma: Tensor, *, model_options: Mapping[str, Any] | None = None, **_: Any) -> Tensor:
        """Note the noise level; samplers that ask for the guidance branches are given the same for each."""
        self.sigmas.append(float(sigma.reshape(-1)[0]))
        denoised = x / 2
        names = ("denoised", "cond_denoised", "uncond_denoised", "input")
        facts = dict.fromkeys(names, denoised) | {"sigma": sigma, "model": self, "model_options": model_options}
        for function in (model_options or {}).get("sampler_post_cfg_function", ()):
            denoised = function(facts)
        return denoised


def rehearse_sampler(sampler: Any, sigmas: Tensor, model_patcher: Any) -> list[float] | None:
    """The noise level of every evaluation, in order; None for a sampler that cannot run without a real model.

    The random numbers of the run itself are left as they were.
    """
    model, levels = RehearsalModel(model_patcher), sigmas.detach().cpu().float()
    arguments = {"extra_args": {"model_options": {}, "seed": 0}, "callback": _ignore_step, "disable": True}
    try:
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            sampler.sampler_function(
                model, torch.ones(TOY_SHAPE) * levels[0], levels, **arguments, **sampler.extra_options
            )
    except Exception:  # a sampler of another pack may need anything; then it is not rehearsed
        return None
    return model.sigmas


def _ignore_step(step: Mapping[str, Any]) -> None:
    """Some samplers call back unasked."""
