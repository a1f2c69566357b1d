"""One sampling run: `OUTER_SAMPLE` starts and ends it, every call of the model passes through it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from navicache.policies import Policy
from navicache.records import Trace

from .branch_names import BranchNames
from .repeated_evaluations import is_same_sigma, split_budget_with_repeats
from .report import SamplingReport
from .sampler_traits import DENOISED_FORM, SamplerTraits
from .shape_cache import LatentShapeCache
from .sigma_tracker import SegmentStep, SigmaTracker

ShapeKey = tuple[torch.Size, torch.dtype, torch.device]


class SamplingRun:
    """The state of one sampling run."""

    def __init__(self, policy: Policy, model_class: str, sampler: SamplerTraits, sigmas: Sequence[float]) -> None:
        """Start before the first evaluation."""
        self._policy, self._repeat_schedule = split_budget_with_repeats(policy, sampler, sigmas)
        self._model_class, self._sampler = model_class, sampler
        self._sigma_tracker, self._branch_names = SigmaTracker(sigmas), BranchNames()
        self._shape_caches: dict[ShapeKey, LatentShapeCache] = {}
        self._sigma_tensor: Tensor | None = None  # of the newest evaluation; ComfyUI passes it to all its calls
        self._sigma, self._is_repeat = 0.0, False  # its noise level, and whether the last evaluation had the same
        self._reused_repeats = 0  # calls that reused the output of the first evaluation
        self._evaluation_steps: list[SegmentStep] = []  # of all evaluations
        self._evaluation_computed: list[bool] = []  # whether anything was computed in them

    def compute_or_predict(
        self, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor, transformer_options: Mapping[str, Any]
    ) -> Tensor:
        """Return the output of this call, computed or predicted."""
        self._start_evaluation(transformer_options["sigmas"])
        if self._sampler.bypass_reason or self._sigma <= 0:
            self._evaluation_computed[-1] = True
            return run_model()
        step, branch = self._evaluation_steps[-1], self._branch_names.name_call(_get_shape_key(x), transformer_options)
        cache = self._get_shape_cache(x)
        cache.set_position(step, branch, self._sigma, self._sigma_tracker)
        if self._repeat_schedule is not None and self._is_repeat and cache.has_output:
            computed = self._repeat_schedule.is_repeat_computed(step)
            denoised = run_model() if computed else cache.reuse_output(x, sigma)
            self._reused_repeats += not computed
        else:
            denoised, computed = cache.compute_or_predict(run_model, x, sigma)
        self._evaluation_computed[-1] |= computed
        return denoised

    def _start_evaluation(self, sigmas: Tensor) -> None:
        """Find the step of a new evaluation."""
        if sigmas is self._sigma_tensor:
            return
        before, self._sigma_tensor, self._sigma = self._sigma, sigmas, float(sigmas.reshape(-1)[0])
        step = self._sigma_tracker.advance_to(self._sigma)
        is_new_step = self._evaluation_steps[-1:] != [step]
        may_repeat = self._repeat_schedule is not None and not self._is_repeat and not is_new_step
        self._is_repeat = may_repeat and is_same_sigma(self._sigma, before)
        if self._is_repeat or is_new_step:
            self._branch_names.start_evaluation()
        self._evaluation_steps.append(step)
        self._evaluation_computed.append(False)

    def _get_shape_cache(self, x: Tensor) -> LatentShapeCache:
        """Get the cache of a latent shape; it restarts if it was not called in the last step."""
        shape = _get_shape_key(x)
        if shape not in self._shape_caches:
            self._shape_caches[shape] = LatentShapeCache(self._policy, self._model_class, self._sampler.output_form)
        cache, steps = self._shape_caches[shape], list(dict.fromkeys(self._evaluation_steps))
        if cache.current_step is not None and cache.current_step not in steps[-2:]:
            cache.engine.end_run("left out of a step", is_complete=False)
        return cache

    def close(self, finished: bool) -> SamplingReport:
        """Release all tensors and report the run."""
        caches, self._shape_caches, self._sigma_tensor = [*self._shape_caches.values()], {}, None
        for cache in caches:
            if finished:
                cache.engine.end_run("sampling over")
            else:
                cache.engine.abort_run()  # the device may have failed: nothing is fetched from it
        runs = tuple(run for cache in caches for run in cache.engine.trace.runs)
        notes = tuple(self._write_notes(finished, len(caches)))
        return SamplingReport(
            Trace(runs), notes, evaluations=len(self._evaluation_computed), computed=sum(self._evaluation_computed)
        )

    def _write_notes(self, finished: bool, shape_count: int) -> list[str]:
        """Notes about the run that its steps do not show."""
        if self._sampler.bypass_reason:
            return [self._sampler.bypass_reason]
        name, evaluations = self._sampler.name, len(self._evaluation_computed)
        segments, adds_noise = self._sigma_tracker.segment_count, self._sampler.output_form is DENOISED_FORM
        notes = {
            "the run did not finish": not finished,
            f"{name} evaluates the model more than once in a step: {sum(self._evaluation_computed)} of {evaluations} "
            "evaluations were computed": evaluations > len(set(self._evaluation_steps)),
            f"{name} evaluates twice at a noise level: in the middle of the run the second evaluation reused the "
            "output of the first": self._reused_repeats > 0,
            f"{name} adds noise during the run, so the denoised latent is predicted": adds_noise,
            f"noise was added again during the run: each of {segments} segments was cached separately": segments > 1,
            f"the model was called with latents of {shape_count} shapes: each was cached separately": shape_count > 1,
        }
        return [note for note, holds in notes.items() if holds]


def _get_shape_key(x: Tensor) -> ShapeKey:
    return x.shape, x.dtype, x.device
