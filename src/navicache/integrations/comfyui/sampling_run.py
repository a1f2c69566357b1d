"""One sampling run: begun and ended by `OUTER_SAMPLE`, asked at every call of the model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from navicache.integrations.comfyui.sigma_tracker import SigmaTracker, SegmentStep
from navicache.integrations.comfyui.shape_cache import LatentShapeCache
from navicache.integrations.comfyui.branch_names import BranchNames
from navicache.integrations.comfyui.report import SamplingReport
from navicache.integrations.comfyui.sampler_traits import DENOISED_FORM, SamplerTraits
from navicache.integrations.comfyui.repeated_evaluations import is_same_sigma, split_budget_with_repeats
from navicache.policies import Policy
from navicache.records import Trace

ShapeKey = tuple[torch.Size, torch.dtype, torch.device]


class SamplingRun:
    """Everything that lives as long as one sampling run, and dies with it."""

    def __init__(self, policy: Policy, model_class: str, sampler: SamplerTraits, sigmas: Sequence[float]) -> None:
        """Nothing has been evaluated."""
        self._policy, self._repeat_schedule = split_budget_with_repeats(policy, sampler, sigmas)
        self._model_class, self._sampler = model_class, sampler
        self._sigma_tracker, self._branch_names, self._shape_caches = (
            SigmaTracker(sigmas),
            BranchNames(),
            dict[ShapeKey, LatentShapeCache](),
        )
        self._sigma_tensor: Tensor | None = None  # of the newest evaluation, as ComfyUI hands it to all its calls
        self._sigma, self._is_repeat = 0.0, False  # its noise level, and whether that is the level of the one before
        self._reused_repeats = 0  # calls that took over an answer
        self._evaluation_steps: list[SegmentStep] = []  # of all evaluations
        self._evaluation_computed: list[bool] = []  # and whether anything was computed in them

    def compute_or_predict(
        self, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor, transformer_options: Mapping[str, Any]
    ) -> Tensor:
        """What the model returns at this call, computed or predicted."""
        self._start_evaluation(transformer_options["sigmas"])
        if self._sampler.bypass_reason or self._sigma <= 0:
            self._evaluation_computed[-1] = True
            return run_model()
        lane = self._get_shape_cache(x)
        lane.set_position(
            self._evaluation_steps[-1],
            self._branch_names.name_call(_get_shape_key(x), transformer_options),
            self._sigma,
        )
        if self._repeat_schedule is not None and self._is_repeat and lane.has_output:
            computed = self._repeat_schedule.is_repeat_computed(self._evaluation_steps[-1])
            denoised, self._reused_repeats = (
                (run_model() if computed else lane.reuse_output(x, sigma)),
                self._reused_repeats + (not computed),
            )
        else:
            denoised, computed = lane.compute_or_predict(run_model, x, sigma)
        self._evaluation_computed[-1] |= computed
        return denoised

    def _start_evaluation(self, sigmas: Tensor) -> None:
        """Find the place of a new evaluation."""
        if sigmas is self._sigma_tensor:
            return
        before, self._sigma_tensor, self._sigma = self._sigma, sigmas, float(sigmas.reshape(-1)[0])
        place, again = (
            self._sigma_tracker.advance_to(self._sigma),
            not self._is_repeat and is_same_sigma(self._sigma, before),
        )
        self._is_repeat = self._repeat_schedule is not None and again and self._evaluation_steps[-1:] == [place]
        if self._is_repeat or self._evaluation_steps[-1:] != [place]:
            self._branch_names.start_evaluation()
        self._evaluation_steps.append(place)
        self._evaluation_computed.append(False)

    def _get_shape_cache(self, x: Tensor) -> LatentShapeCache:
        """The lane of a shape; one that was left out of a step begins anew."""
        shape = _get_shape_key(x)
        if shape not in self._shape_caches:
            self._shape_caches[shape] = LatentShapeCache(self._policy, self._model_class, self._sampler.output_form)
        lane, steps = self._shape_caches[shape], list(dict.fromkeys(self._evaluation_steps))
        if lane.current_step is not None and lane.current_step not in steps[-2:]:
            lane.engine.end_run("left out of a step", finished=False)
        return lane

    def close(self, finished: bool) -> SamplingReport:
        """Let all tensors go, and tell what happened."""
        lanes, self._shape_caches, self._sigma_tensor = [*self._shape_caches.values()], {}, None
        for lane in lanes:
            if finished:
                lane.engine.end_run("sampling over")
            else:
                lane.engine.abort()  # perhaps the device itself is at fault: nothing is fetched from it
        runs = tuple(run for lane in lanes for run in lane.engine.trace.runs)
        notes = tuple(self._write_notes(finished, len(lanes)))
        return SamplingReport(
            Trace(runs), notes, evaluations=len(self._evaluation_computed), computed=sum(self._evaluation_computed)
        )

    def _write_notes(self, finished: bool, shape_count: int) -> list[str]:
        """What the steps alone do not tell."""
        if self._sampler.bypass_reason:
            return [self._sampler.bypass_reason]
        name, evaluations, stretches = (
            self._sampler.name,
            len(self._evaluation_computed),
            self._sigma_tracker.segment_count,
        )
        said = {
            "the run was broken off": not finished,
            f"{name} evaluates the model more than once in a step: {sum(self._evaluation_computed)} of {evaluations} evaluations "
            "were computed": evaluations > len(set(self._evaluation_steps)),
            f"{name} evaluates twice at a noise level: in the middle of the run the second evaluation took over the "
            "first one's answer": self._reused_repeats > 0,
            f"{name} adds noise on the way, so the denoised latent is predicted": self._sampler.output_form
            is DENOISED_FORM,
            f"noise was put back on the way: each of {stretches} stretches was begun anew": stretches > 1,
            f"the model was called with latents of {shape_count} shapes: each was decided for itself": shape_count > 1,
        }
        return [note for note, holds in said.items() if holds]


def _get_shape_key(x: Tensor) -> ShapeKey:
    return x.shape, x.dtype, x.device
