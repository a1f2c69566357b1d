"""One sampling run: `OUTER_SAMPLE` starts and ends it, every call of the model passes through it."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from navicache.engine import StorageOptions
from navicache.policies import Policy
from navicache.records import Trace

from .branch_names import BranchNames, read_window
from .evaluation_budget import split_budget_with_revisits
from .evaluation_plan import EvaluationPlan, Place
from .report import SamplingReport
from .sampler_traits import DENOISED_FORM, SamplerTraits
from .shape_cache import LatentShapeCache

OFF_PLAN = "did not evaluate where it was expected to: from there on every evaluation was computed"
MOVING_WINDOWS = (
    "the context windows move from step to step, so nothing can be predicted: every evaluation was computed; the "
    "context schedule standard_static leaves them in place"
)

ShapeKey = tuple[torch.Size, torch.dtype, torch.device]


class RunFacts(NamedTuple):
    """What a run is told beside its policy, sampler and plan."""

    model_class: str
    step_count: int  # as the sampler counts
    keep: StorageOptions


class SamplingRun:
    """The state of one sampling run."""

    def __init__(self, policy: Policy, sampler: SamplerTraits, plan: EvaluationPlan, facts: RunFacts) -> None:
        """Start before the first evaluation."""
        splits = [
            split_budget_with_revisits(policy, plan.count_revisits(n), levels) for n, levels in enumerate(plan.levels)
        ]
        self._policy = splits[0][0] if splits else policy  # an engine has one
        self._revisit_rules = [rule for _, rule in splits]  # by segment
        self._sampler, self._plan, self._facts = sampler, plan, facts
        self._branch_names = BranchNames()
        self._shape_caches: dict[ShapeKey, LatentShapeCache] = {}
        self._sigma_tensor: Tensor | None = None  # of the newest evaluation; ComfyUI passes it to all its calls
        self._sigma, self._place = 0.0, None  # noise level and place of the newest evaluation
        self._bypass_reason = sampler.bypass_reason  # why everything is computed from now on
        self._windows: set[tuple[int, ...]] = set()  # frames of the calls of the first evaluation
        self._restarts = 0  # of shapes that were left out of a step
        self._reused_revisits = 0  # calls that reused the output of an earlier evaluation at their level
        self._extended_outputs = 0  # calls ahead of the sampler's course that continued the line of earlier outputs
        self._reached: list[tuple[int, int]] = []  # the newest segments and levels
        self._evaluation_computed: list[bool] = []  # whether anything was computed in each evaluation

    def compute_or_predict(
        self, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor, transformer_options: Mapping[str, Any]
    ) -> Tensor:
        """Return the output of this call, computed or predicted."""
        self._start_evaluation(transformer_options["sigmas"])
        self._watch_windows(transformer_options)
        place = self._place
        if self._bypass_reason or place is None:
            self._evaluation_computed[-1] = True
            return run_model()
        cache, branch = self._get_shape_cache(x), self._name_branch(x, transformer_options)
        cache.set_position(len(self._evaluation_computed) - 1, place, branch, self._sigma, self._plan)
        denoised, computed = self._run_call(cache, place, run_model, x, sigma)
        self._evaluation_computed[-1] |= computed
        return denoised

    def _run_call(
        self, cache: LatentShapeCache, place: Place, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor
    ) -> tuple[Tensor, bool]:
        """The denoised latent of a placed call, and whether it was computed."""
        rule, kept = self._revisit_rules[place.segment], cache.kept if place.visit else None
        if rule.is_late(place.level):
            return self._run_late_call(cache, run_model, x, sigma)
        if place.visit == 0:
            return cache.compute_or_predict(run_model, x, sigma)
        levels = len(self._plan.levels[place.segment])
        if kept is None or rule.is_computed(place.level, levels, kept.computed):
            return cache.compute_again(run_model, x, sigma), True
        self._reused_revisits += 1
        return cache.reuse_output(kept, x, sigma), False

    def _run_late_call(
        self, cache: LatentShapeCache, run_model: Callable[[], Tensor], x: Tensor, sigma: Tensor
    ) -> tuple[Tensor, bool]:
        """The same where a level's last evaluation is its step: those that look ahead of the course are extended."""
        if not cache.returns:
            return cache.compute_or_predict(run_model, x, sigma)
        ahead = cache.extend_output(x, sigma)
        if ahead is None:
            return cache.compute_again(run_model, x, sigma), True
        self._extended_outputs += 1
        return ahead, False

    def _name_branch(self, x: Tensor, transformer_options: Mapping[str, Any]) -> str:
        return self._branch_names.name_call(_get_shape_key(x), transformer_options)

    def _start_evaluation(self, sigmas: Tensor) -> None:
        """Find the place of a new evaluation."""
        if sigmas is self._sigma_tensor:
            return
        self._sigma_tensor, self._sigma = sigmas, float(sigmas.reshape(-1)[0])
        number = len(self._evaluation_computed)
        if not self._bypass_reason and not self._plan.has_sigma(number, self._sigma):
            self._bypass_reason = OFF_PLAN
        self._place = None if self._bypass_reason else self._plan.places[number]
        self._branch_names.start_evaluation()
        self._evaluation_computed.append(False)
        if self._place is not None and self._place[:2] not in self._reached:
            self._reached.append(self._place[:2])

    def _watch_windows(self, transformer_options: Mapping[str, Any]) -> None:
        """Context windows that move leave nothing to predict from: each call has other frames than those before."""
        window = read_window(transformer_options)
        if len(self._evaluation_computed) == 1:
            self._windows.add(window)
        elif window not in self._windows and not self._bypass_reason:
            self._bypass_reason = MOVING_WINDOWS

    def _get_shape_cache(self, x: Tensor) -> LatentShapeCache:
        """Get the cache of a latent shape; it restarts if it was not called in the last step."""
        shape = _get_shape_key(x)
        if shape not in self._shape_caches:
            facts, form = self._facts, self._sampler.output_form
            lines = any(rule.late_level is not None for rule in self._revisit_rules)
            self._shape_caches[shape] = LatentShapeCache(self._policy, facts.model_class, form, facts.keep, lines)
        cache = self._shape_caches[shape]
        if cache.current_step is not None and cache.current_step not in self._reached[-2:]:
            cache.engine.end_run("left out of a step", is_complete=False)
            self._restarts += 1
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
        name, computed = self._sampler.name, self._evaluation_computed
        segments, adds_noise = len(self._plan.levels), self._sampler.output_form is DENOISED_FORM
        notes = {
            "the run did not finish": not finished,
            f"{name} {self._bypass_reason}": self._bypass_reason == OFF_PLAN,
            self._bypass_reason: self._bypass_reason == MOVING_WINDOWS,
            f"{name} evaluates the model more than once in a step: {sum(computed)} of {len(computed)} evaluations were "
            "computed": len(computed) > self._facts.step_count,
            f"{name} evaluates some noise levels more than once: in the middle of the run the first output of a level "
            "was reused": self._reused_revisits > 0,
            f"{name} evaluates levels ahead of its course: late in the run these outputs continued the line of earlier "
            "ones": self._extended_outputs > 0,
            f"{name} adds noise during the run, so the denoised latent is predicted": adds_noise,
            f"noise was added again during the run: each of {segments} segments was cached separately": segments > 1,
            f"the model was called with latents of {shape_count} shapes: each was cached separately": shape_count > 1,
            f"the calls of a step were batched in another way {self._restarts} times, as memory allowed, and what was "
            "kept for the way before was of no use": self._restarts > 0,
        }
        return [note for note, holds in notes.items() if holds]


def _get_shape_key(x: Tensor) -> ShapeKey:
    return x.shape, x.dtype, x.device
