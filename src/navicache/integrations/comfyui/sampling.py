"""One sampling run: begun and ended by `OUTER_SAMPLE`, asked at every call of the model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from navicache.integrations.comfyui.course import Course, Place
from navicache.integrations.comfyui.lane import Lane
from navicache.integrations.comfyui.report import Report
from navicache.integrations.comfyui.samplers import DENOISED, Sampler
from navicache.policies import Policy
from navicache.records import Trace

ROLES = {0: "cond", 1: "uncond"}  # as ComfyUI numbers them

Shape = tuple[torch.Size, torch.dtype, torch.device]


class Sampling:
    """Everything that lives as long as one sampling run, and dies with it."""

    def __init__(self, policy: Policy, model: str, sampler: Sampler, sigmas: Sequence[float]) -> None:
        """Nothing has been evaluated."""
        self._policy, self._model, self._sampler = policy, model, sampler
        self._course, self._lanes = Course(sigmas), dict[Shape, Lane]()
        # Of conditionings, by role and uuid: a negative made to fit a positive's area has the positive's uuid.
        self._labels: dict[tuple[int, object], str] = {}
        self._sigmas: Tensor | None = None  # of the newest evaluation, as ComfyUI hands it to all its calls
        self._sigma = 0.0
        self._places: list[Place] = []  # of all evaluations
        self._computed: list[bool] = []  # and whether anything was computed in them

    def answer(self, model: Callable[[], Tensor], x: Tensor, sigma: Tensor, options: Mapping[str, Any]) -> Tensor:
        """What the model returns at this call, computed or predicted."""
        self._arrive(options["sigmas"])
        if self._sampler.aside or self._sigma <= 0:
            self._computed[-1] = True
            return model()
        lane = self._lane(x)
        lane.enter(self._places[-1], self._stream(options), self._sigma)
        denoised, computed = lane.answer(model, x, sigma)
        self._computed[-1] |= computed
        return denoised

    def _arrive(self, sigmas: Tensor) -> None:
        """Find the place of a new evaluation."""
        if sigmas is not self._sigmas:
            self._sigmas, self._sigma = sigmas, float(sigmas.reshape(-1)[0])
            self._places.append(self._course.reach(self._sigma))
            self._computed.append(False)

    def _lane(self, x: Tensor) -> Lane:
        """The lane of a shape; one that was left out of a step begins anew."""
        shape = (x.shape, x.dtype, x.device)
        if shape not in self._lanes:
            self._lanes[shape] = Lane(self._policy, self._model, self._sampler.form)
        lane, steps = self._lanes[shape], list(dict.fromkeys(self._places))
        if lane.place is not None and lane.place not in steps[-2:]:
            lane.engine.end_run("left out of a step", finished=False)
        return lane

    def _stream(self, options: Mapping[str, Any]) -> str:
        """The name of a call: the conditionings that were put into it."""
        pairs = zip(options["cond_or_uncond"], options["uuids"], strict=True)
        return "+".join(self._label(role, uuid) for role, uuid in pairs)

    def _label(self, role: int, uuid: object) -> str:
        if (role, uuid) not in self._labels:
            name, others = ROLES.get(role, str(role)), sum(role == other for other, _ in self._labels)
            self._labels[role, uuid] = f"{name} {others + 1}" if others else name
        return self._labels[role, uuid]

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
            f"{name} adds noise on the way, so the denoised latent is predicted": self._sampler.form is DENOISED,
            f"noise was put back on the way: each of {stretches} stretches was begun anew": stretches > 1,
            f"the model was called with latents of {lanes} shapes: each was decided for itself": lanes > 1,
        }
        return [note for note, holds in said.items() if holds]
