"""One sampling run: begun and ended by `OUTER_SAMPLE`, asked at every call of the model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from navicache.integrations.comfyui.course import Course, Place
from navicache.integrations.comfyui.lane import Lane
from navicache.integrations.comfyui.names import Names
from navicache.integrations.comfyui.report import Report
from navicache.integrations.comfyui.samplers import DENOISED, Sampler
from navicache.integrations.comfyui.twins import same, share
from navicache.policies import Policy
from navicache.records import Trace

Shape = tuple[torch.Size, torch.dtype, torch.device]


class Sampling:
    """Everything that lives as long as one sampling run, and dies with it."""

    def __init__(self, policy: Policy, model: str, sampler: Sampler, sigmas: Sequence[float]) -> None:
        """Nothing has been evaluated."""
        self._policy, self._twins = share(policy, sampler, sigmas)
        self._model, self._sampler = model, sampler
        self._course, self._names, self._lanes = Course(sigmas), Names(), dict[Shape, Lane]()
        self._sigmas: Tensor | None = None  # of the newest evaluation, as ComfyUI hands it to all its calls
        self._sigma, self._twin = 0.0, False  # its noise level, and whether that is the level of the one before
        self._held = 0  # calls that took over an answer
        self._places: list[Place] = []  # of all evaluations
        self._computed: list[bool] = []  # and whether anything was computed in them

    def answer(self, model: Callable[[], Tensor], x: Tensor, sigma: Tensor, options: Mapping[str, Any]) -> Tensor:
        """What the model returns at this call, computed or predicted."""
        self._arrive(options["sigmas"])
        if self._sampler.aside or self._sigma <= 0:
            self._computed[-1] = True
            return model()
        lane = self._lane(x)
        lane.enter(self._places[-1], self._names.of(_shape(x), options), self._sigma)
        if self._twins is not None and self._twin and lane.answered:
            computed = self._twins.due(self._places[-1])
            denoised, self._held = (model() if computed else lane.hold(x, sigma)), self._held + (not computed)
        else:
            denoised, computed = lane.answer(model, x, sigma)
        self._computed[-1] |= computed
        return denoised

    def _arrive(self, sigmas: Tensor) -> None:
        """Find the place of a new evaluation."""
        if sigmas is self._sigmas:
            return
        before, self._sigmas, self._sigma = self._sigma, sigmas, float(sigmas.reshape(-1)[0])
        place, again = self._course.reach(self._sigma), not self._twin and same(self._sigma, before)
        self._twin = self._twins is not None and again and self._places[-1:] == [place]
        if self._twin or self._places[-1:] != [place]:
            self._names.begin()
        self._places.append(place)
        self._computed.append(False)

    def _lane(self, x: Tensor) -> Lane:
        """The lane of a shape; one that was left out of a step begins anew."""
        shape = _shape(x)
        if shape not in self._lanes:
            self._lanes[shape] = Lane(self._policy, self._model, self._sampler.form)
        lane, steps = self._lanes[shape], list(dict.fromkeys(self._places))
        if lane.place is not None and lane.place not in steps[-2:]:
            lane.engine.end_run("left out of a step", finished=False)
        return lane

    def close(self, finished: bool) -> Report:
        """Let all tensors go, and tell what happened."""
        lanes, self._lanes, self._sigmas = [*self._lanes.values()], {}, None
        for lane in lanes:
            if finished:
                lane.engine.end_run("sampling over")
            else:
                lane.engine.abort()  # perhaps the device itself is at fault: nothing is fetched from it
        runs = tuple(run for lane in lanes for run in lane.engine.trace.runs)
        notes = tuple(self._notes(finished, len(lanes)))
        return Report(Trace(runs), notes, evaluations=len(self._computed), computed=sum(self._computed))

    def _notes(self, finished: bool, lanes: int) -> list[str]:
        """What the steps alone do not tell."""
        if self._sampler.aside:
            return [self._sampler.aside]
        name, evaluations, stretches = self._sampler.name, len(self._computed), self._course.stretches
        said = {
            "the run was broken off": not finished,
            f"{name} evaluates the model more than once in a step: {sum(self._computed)} of {evaluations} evaluations "
            "were computed": evaluations > len(set(self._places)),
            f"{name} evaluates twice at a noise level: in the middle of the run the second evaluation took over the "
            "first one's answer": self._held > 0,
            f"{name} adds noise on the way, so the denoised latent is predicted": self._sampler.form is DENOISED,
            f"noise was put back on the way: each of {stretches} stretches was begun anew": stretches > 1,
            f"the model was called with latents of {lanes} shapes: each was decided for itself": lanes > 1,
        }
        return [note for note, holds in said.items() if holds]


def _shape(x: Tensor) -> Shape:
    return x.shape, x.dtype, x.device
