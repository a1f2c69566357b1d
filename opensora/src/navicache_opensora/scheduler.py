"""Rectified flow with Open-Sora's timestep transform: larger and longer videos take more steps at high noise."""

from typing import Any, NamedTuple

import torch
from diffusers.configuration_utils import ConfigMixin, register_to_config
from diffusers.schedulers.scheduling_utils import SchedulerMixin, SchedulerOutput
from torch import Tensor

from navicache_opensora.sizes import MICRO_FRAMES, MICRO_LATENTS, check_num_frames

BASE_SIDE = 512


class VideoSize(NamedTuple):
    """Height and width in pixels, and the number of frames, as requested."""

    height: int
    width: int
    num_frames: int


def compute_transform_ratio(size: VideoSize, dtype: torch.dtype = torch.float32) -> Tensor:
    """sqrt(area / 512^2) * sqrt(latent frames), rounded to `dtype` after every operation.

    The official pipelines keep sizes in bfloat16, where a width of 854 is 856.
    """
    height, width, frames = (torch.tensor(float(value), dtype=dtype) for value in size)
    space = (height * width / BASE_SIDE**2).sqrt()
    latents = torch.ones_like(frames) if size.num_frames == 1 else torch.floor(frames / MICRO_FRAMES) * MICRO_LATENTS
    return space * latents.sqrt()


def transform_timesteps(timesteps: Tensor, ratio: Tensor, total: int = 1000) -> Tensor:
    """R s / (1 + (R - 1) s), with s = t / total; R - 1 is rounded to the dtype of R, the rest is float32."""
    sigma = timesteps / total
    excess = (ratio - 1).float()
    return ratio.float() * sigma / (1 + excess * sigma) * total


class RectifiedFlowScheduler(SchedulerMixin, ConfigMixin):
    """Straight lines from noise at timestep 1000 to the video at 0; the model predicts x0 - noise.

    Args:
        num_train_timesteps: the timestep of pure noise.
        use_timestep_transform: shift the timesteps by the size of the video.
        use_discrete_timesteps: round the timesteps to integers before the transform.
    """

    order = 1
    init_noise_sigma = 1.0

    @register_to_config
    def __init__(
        self,
        num_train_timesteps: int = 1000,
        use_timestep_transform: bool = True,
        use_discrete_timesteps: bool = False,
    ) -> None:
        """Call `set_timesteps` before the first step."""
        self.num_inference_steps: int | None = None
        self.timesteps = torch.linspace(num_train_timesteps, 1, num_train_timesteps)
        self.sigmas = torch.cat([self.timesteps / num_train_timesteps, torch.zeros(1)])
        self._step_index: int | None = None
        self._begin_index: int | None = None

    @property
    def step_index(self) -> int | None:
        """The index of the next step; None before the first."""
        return self._step_index

    @property
    def begin_index(self) -> int | None:
        """The index of the first step, if it was set."""
        return self._begin_index

    def set_begin_index(self, begin_index: int = 0) -> None:
        """Set the index of the first step."""
        self._begin_index = begin_index

    def set_timesteps(
        self,
        num_inference_steps: int,
        device: torch.device | str | None = None,
        height: int | None = None,
        width: int | None = None,
        num_frames: int | None = None,
        size_dtype: torch.dtype = torch.float32,
    ) -> None:
        """Set the timesteps of a run.

        Height and width are the requested ones, in pixels. `size_dtype` is the dtype that sizes are rounded to: the
        official pipelines use bfloat16 when they run in bfloat16.
        """
        if num_inference_steps < 1:
            raise ValueError(f"num_inference_steps must be 1 or more, got {num_inference_steps}")
        total = self.config["num_train_timesteps"]
        steps = (1.0 - torch.arange(num_inference_steps, dtype=torch.float64) / num_inference_steps) * total
        steps = (steps.round() if self.config["use_discrete_timesteps"] else steps).float()
        if self.config["use_timestep_transform"]:
            size = _require_size(height, width, num_frames)
            steps = transform_timesteps(steps, compute_transform_ratio(size, size_dtype), total)
        self.num_inference_steps = num_inference_steps
        self.timesteps = steps.to(device)
        self.sigmas = torch.cat([steps, torch.zeros(1)]) / total  # on the CPU: read at every step
        self._step_sizes = (-torch.diff(steps, append=torch.zeros(1)) / total).tolist()
        self._step_index = self._begin_index = None

    def scale_model_input(self, sample: Tensor, timestep: Any = None) -> Tensor:
        """Return the sample unchanged."""
        del timestep
        return sample

    def add_noise(self, original_samples: Tensor, noise: Tensor, timesteps: Tensor) -> Tensor:
        """(1 - sigma) x0 + sigma noise, with sigma = timestep / num_train_timesteps for each sample."""
        sigma = (timesteps.float() / self.config["num_train_timesteps"]).to(original_samples.device)
        sigma = sigma.reshape(-1, *[1] * (original_samples.dim() - 1))
        return (1 - sigma) * original_samples + sigma * noise

    def step(
        self, model_output: Tensor, timestep: Tensor | float, sample: Tensor, return_dict: bool = True
    ) -> SchedulerOutput | tuple[Tensor]:
        """Go along the predicted line to the next timestep; the last step ends at 0."""
        if self.num_inference_steps is None:
            raise ValueError("call set_timesteps before the first step")
        if self._step_index is None:
            self._step_index = self._find_step(timestep) if self._begin_index is None else self._begin_index
        prev_sample = sample + model_output * self._step_sizes[self._step_index]
        self._step_index += 1
        return SchedulerOutput(prev_sample=prev_sample) if return_dict else (prev_sample,)

    def _find_step(self, timestep: Tensor | float) -> int:
        distance = (self.timesteps - torch.as_tensor(timestep, device=self.timesteps.device)).abs()
        return int(distance.argmin())

    def __len__(self) -> int:
        """The number of training timesteps."""
        return self.config["num_train_timesteps"]


def _require_size(height: int | None, width: int | None, num_frames: int | None) -> VideoSize:
    if height is None or width is None or num_frames is None:
        raise ValueError(
            "set_timesteps needs height, width and num_frames: the timestep transform shifts the steps by the size of "
            "the video (or build the scheduler with use_timestep_transform=False)"
        )
    check_num_frames(num_frames)
    return VideoSize(height, width, num_frames)
