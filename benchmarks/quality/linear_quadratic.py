"""Euler on the spacing `linear_quadratic`, a long flat start, as Mochi's pipeline and ComfyUI have it."""

from collections.abc import Sequence
from typing import Any

from diffusers import FlowMatchEulerDiscreteScheduler
from diffusers.pipelines.mochi.pipeline_mochi import linear_quadratic_schedule

THRESHOLD = 0.025  # the noise that the first half of the steps removes; ComfyUI's and Mochi's


class LinearQuadraticScheduler(FlowMatchEulerDiscreteScheduler):
    """Half of the steps go evenly from noise level 1 to 0.975, the others along a parabola to 0.

    Example:
        >>> scheduler = LinearQuadraticScheduler()
        >>> scheduler.set_timesteps(8)
        >>> [round(float(level), 3) for level in scheduler.sigmas]
        [1.0, 0.994, 0.988, 0.981, 0.975, 0.909, 0.725, 0.422, 0.0]
    """

    def set_timesteps(
        self,
        num_inference_steps: int | None = None,
        device: Any = None,
        sigmas: Sequence[float] | None = None,
        mu: float | None = None,
    ) -> None:
        """Set the levels; of those that a pipeline gives only the number counts."""
        steps = len(sigmas) if sigmas is not None else num_inference_steps
        super().set_timesteps(device=device, mu=mu, sigmas=linear_quadratic_schedule(steps, THRESHOLD))
