# Copyright 2026 The HuggingFace Team. All rights reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

import inspect
from dataclasses import dataclass

import torch

from ..models.modeling_outputs import Transformer2DModelOutput
from ..utils import get_logger
from ..utils.torch_utils import unwrap_module
from .hooks import BaseState, CacheContext, HookRegistry, ModelHook, StateManager


logger = get_logger(__name__)  # pylint: disable=invalid-name

_NAVI_CACHE_HOOK = "navi_cache"

# Keeps the ratio, the gain and the relative change finite, as in the reference implementation.
_EPSILON = 1e-8


@dataclass
class NaviCacheConfig:
    r"""
    Configuration for [NaviCache](https://huggingface.co/papers/2606.26795).

    NaviCache skips whole calls of the transformer. While denoising it tracks, with a scalar Kalman filter, the ratio
    between the change of the transformer's output and the change of its input. From this ratio and the change of the
    latents it predicts how far the output has moved since the last call that was computed, and computes again once the
    prediction reaches `threshold`. There is nothing to calibrate beforehand.

    Args:
        threshold (`float`, defaults to `0.05`):
            The relative change of the output up to which the last computed residual is reused. A higher threshold
            skips more calls. The authors use 0.04 to 0.07 for Wan 2.1 and 0.025 to 0.04 for HunyuanVideo.
        num_alignment_steps (`int`, defaults to `10`):
            The number of steps at the start of a run that are always computed.
        num_inference_steps (`int`, *optional*):
            The number of steps of a run, so that the last one is always computed. It is only needed for pipelines that
            do not pass `num_inference_steps` to `cache_context`.
        process_noise (`float`, defaults to `0.05`):
            The variance by which the ratio is expected to move from one computed step to the next.
        measurement_noise (`float`, defaults to `0.05`):
            The variance of an observed ratio. Only its proportion to `process_noise` matters in the long run.
        initial_variance (`float`, defaults to `1.0`):
            The variance of the ratio at the end of the alignment.
    """

    threshold: float = 0.05
    num_alignment_steps: int = 10
    num_inference_steps: int | None = None
    process_noise: float = 0.05
    measurement_noise: float = 0.05
    initial_variance: float = 1.0

    def __post_init__(self):
        if self.threshold < 0:
            raise ValueError(f"`threshold` must not be negative, but got {self.threshold}.")
        if self.num_alignment_steps < 1:
            raise ValueError(f"`num_alignment_steps` must be at least 1, but got {self.num_alignment_steps}.")
        if min(self.process_noise, self.measurement_noise, self.initial_variance) < 0:
            raise ValueError("`process_noise`, `measurement_noise` and `initial_variance` must not be negative.")


class NaviCacheState(BaseState):
    """What is kept of one context: the latents and the output of its last computed call."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.latents: torch.Tensor | None = None
        self.output: torch.Tensor | None = None


class NaviCacheSharedState:
    """What all contexts of a run share: the place in the run, the ratio, and the decision for the current step.

    The context that is called first in a run leads it: it is measured, and the others follow its decision.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.leader: str | None = None
        self.input_shape: torch.Size | None = None
        self.num_steps: int = 0
        self.should_compute: bool = True
        self.last_latents: torch.Tensor | None = None

        self.ratio: float | None = None
        self.variance: float = 0.0
        self.output_size: float = 0.0
        self.accumulated_change: float = 0.0


def _mean_abs(*tensors: torch.Tensor) -> list[float]:
    """The mean absolute value of each tensor, in a single device synchronization."""
    return torch.stack([tensor.float().abs().mean() for tensor in tensors]).tolist()


def _is_last_step(shared_state: NaviCacheSharedState, context: CacheContext, config: NaviCacheConfig) -> bool:
    num_inference_steps = context.num_inference_steps or config.num_inference_steps
    step_index = shared_state.num_steps if context.step_index is None else context.step_index
    return num_inference_steps is not None and step_index == num_inference_steps - 1


@torch.compiler.disable
def _decide(
    shared_state: NaviCacheSharedState, latents: torch.Tensor, context: CacheContext, config: NaviCacheConfig
) -> bool:
    """Whether the step that the leading context begins has to be computed."""
    should_compute = shared_state.num_steps < config.num_alignment_steps or _is_last_step(
        shared_state, context, config
    )
    if shared_state.ratio is None:
        should_compute = True
    else:
        (change,) = _mean_abs(latents - shared_state.last_latents)
        shared_state.accumulated_change += shared_state.ratio * change / (shared_state.output_size + _EPSILON)
        # Written so that a NaN is computed.
        if not shared_state.accumulated_change < config.threshold:
            should_compute = True
    shared_state.last_latents = latents
    return should_compute


@torch.compiler.disable
def _update_ratio(
    shared_state: NaviCacheSharedState,
    state: NaviCacheState,
    latents: torch.Tensor,
    output: torch.Tensor,
    config: NaviCacheConfig,
) -> None:
    """Take in the ratio observed between the last computed step of the leading context and this one."""
    shared_state.accumulated_change = 0.0
    if state.output is None:
        (shared_state.output_size,) = _mean_abs(output)
        return

    shared_state.output_size, output_change, input_change = _mean_abs(
        output, output - state.output, latents - state.latents
    )
    ratio = output_change / (input_change + _EPSILON)
    if shared_state.ratio is None or shared_state.num_steps < config.num_alignment_steps:
        shared_state.ratio, shared_state.variance = ratio, config.initial_variance
    else:
        variance = shared_state.variance + config.process_noise
        gain = variance / (variance + config.measurement_noise + _EPSILON)
        shared_state.ratio += gain * (ratio - shared_state.ratio)
        shared_state.variance = (1 - gain) * variance


class NaviCacheHook(ModelHook):
    _is_stateful = True

    def __init__(self, state_manager: StateManager, shared_state: NaviCacheSharedState, config: NaviCacheConfig):
        super().__init__()
        self.state_manager = state_manager
        self.shared_state = shared_state
        self.config = config

    def new_forward(self, module: torch.nn.Module, *args, **kwargs):
        if self.state_manager._context is None:
            self.state_manager.set_context(CacheContext(name="inference"))

        shared_state = self.shared_state
        context = self.state_manager.context
        hidden_states = kwargs["hidden_states"] if "hidden_states" in kwargs else args[0]

        is_leader = shared_state.leader in (None, context.name)
        if is_leader:
            self._begin_step(context, hidden_states)
        state: NaviCacheState = self.state_manager.get_state()
        # Image-to-video models append conditioning channels to the latents.
        latents = hidden_states if state.output is None else hidden_states[:, : state.output.shape[1]]
        if is_leader:
            shared_state.should_compute = _decide(shared_state, latents, context, self.config)

        # A context that joins late, e.g. guidance that starts in the middle of a run, has nothing to reuse yet.
        if not shared_state.should_compute and state.output is not None:
            output = latents + (state.output - state.latents)
            result = Transformer2DModelOutput(sample=output) if kwargs.get("return_dict", True) else (output,)
        else:
            result = self.fn_ref.original_forward(*args, **kwargs)
            output = result[0]
            latents = hidden_states[:, : output.shape[1]]
            if len(result) != 1 or output.shape != latents.shape:
                raise ValueError(
                    f"NaviCache needs a transformer with one output that has the shape of its latents, but "
                    f"{module.__class__.__name__} returned {len(result)} output(s), the first of shape "
                    f"{tuple(output.shape)}, for latents of shape {tuple(hidden_states.shape)}."
                )
            if is_leader:
                _update_ratio(shared_state, state, latents, output, self.config)
            state.latents, state.output = latents, output

        if is_leader:
            shared_state.num_steps += 1
        return result

    def _begin_step(self, context: CacheContext, hidden_states: torch.Tensor) -> None:
        """Begin anew at the first step of a run: one that was interrupted has not reset the hook."""
        if context.step_index is None:
            num_inference_steps = context.num_inference_steps or self.config.num_inference_steps
            is_first_step = self.shared_state.num_steps == num_inference_steps
        else:
            is_first_step = context.step_index == 0
        if is_first_step or self.shared_state.input_shape != hidden_states.shape:
            self.state_manager.reset()
            self.shared_state.reset()
            self.state_manager.set_context(context)
            self.shared_state.leader = context.name
            self.shared_state.input_shape = hidden_states.shape

    def reset_state(self, module: torch.nn.Module):
        self.state_manager.reset()
        self.shared_state.reset()
        return module


def apply_navi_cache(module: torch.nn.Module, config: NaviCacheConfig) -> None:
    r"""
    Applies [NaviCache](https://huggingface.co/papers/2606.26795) to a transformer.

    Args:
        module (`torch.nn.Module`):
            The transformer. Its `forward` must take the latents as `hidden_states` and return one output of their
            shape; latents followed by conditioning channels are supported.
        config (`NaviCacheConfig`):
            The configuration to use for NaviCache.

    Example:
    ```python
    >>> import torch
    >>> from diffusers import NaviCacheConfig, WanPipeline, apply_navi_cache

    >>> pipe = WanPipeline.from_pretrained("Wan-AI/Wan2.1-T2V-1.3B-Diffusers", dtype=torch.bfloat16).to("cuda")
    >>> apply_navi_cache(pipe.transformer, NaviCacheConfig(threshold=0.05))
    ```
    """
    if "hidden_states" not in inspect.signature(unwrap_module(module).forward).parameters:
        raise ValueError(f"NaviCache needs a transformer with `hidden_states`, but got {module.__class__.__name__}.")

    registry = HookRegistry.check_if_exists_or_initialize(module)
    hook = NaviCacheHook(StateManager(NaviCacheState), NaviCacheSharedState(), config)
    registry.register_hook(hook, _NAVI_CACHE_HOOK)
