"""The cache for diffusers: a hook of its HookRegistry, at the root of the transformer.

Imported only if diffusers is already imported.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from diffusers import DiffusionPipeline, ModelMixin, ModularPipeline
from diffusers.hooks import HookRegistry, ModelHook
from diffusers.hooks._helpers import TransformerBlockRegistry
from diffusers.hooks.hooks import BaseState, CacheContext, StateManager
from torch import nn

from navicache.engine import CacheEngine, CallFacts, CannotCache, ModelEngine
from navicache.integrations.attachments import ALREADY_CACHED, change_forward_below_offload, restore_forward
from navicache.integrations.compiled_call import CompiledCallWrapper
from navicache.integrations.config import NaviCacheConfig
from navicache.integrations.scheduler import count_run_steps, read_is_flow, read_noise_levels, read_scheduler_position

HOOK_NAME = "navicache"
GROUP_OFFLOAD_HOOK = "group_offloading"  # as diffusers names its hook
PIPELINE_CLASSES = (DiffusionPipeline, ModularPipeline)


class CacheContextReceiver(StateManager):
    """Receives the cache context that diffusers passes to every StateManager of a hook."""

    def __init__(self) -> None:
        """Start without a context."""
        super().__init__(BaseState)  # pyright: ignore[reportArgumentType]  (annotated as an instance upstream)
        self.current_context: CacheContext | None = None

    def set_context(self, context: CacheContext | None) -> None:
        """Keep the context; diffusers calls this when a pipeline enters or leaves `cache_context`."""
        self.current_context = context


class NaviCacheHook(ModelHook):
    """Replaces the forward of a transformer by the engine."""

    _is_stateful = True

    def __init__(
        self, context_receiver: CacheContextReceiver, engine: CacheEngine, detach_attachment: Callable[[], None]
    ) -> None:
        """Keep what the hook needs; diffusers registers it later."""
        super().__init__()
        self.context_receiver, self.engine, self.detach_attachment = context_receiver, engine, detach_attachment
        self.compiled_call: CompiledCallWrapper | None = None

    def initialize_hook(self, module: nn.Module) -> nn.Module:
        """Wrap the compiled call if the model is compiled."""
        self.compiled_call = CompiledCallWrapper(module, self.compute_or_predict, isinstance(self.engine, ModelEngine))
        return module

    def deinitalize_hook(self, module: nn.Module) -> nn.Module:
        """Restore the compiled call; the method name is spelt as in diffusers."""
        if self.compiled_call is not None:
            self.compiled_call.restore_compiled_call()
            self.compiled_call = None
        return module

    def new_forward(self, module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        """Compute or predict; run the model inside a compiled call, which the engine started, and after `detach`."""
        forward = cast(Callable[..., Any], self.fn_ref.original_forward)
        if self.compiled_call is None or self.compiled_call.is_running:
            return forward(*args, **kwargs)
        if not torch.compiler.is_compiling() and get_outermost_hook_name(module) == GROUP_OFFLOAD_HOOK:
            self._move_above_group_offload(module)
        return self.compute_or_predict(forward, args, kwargs)

    def _move_above_group_offload(self, module: nn.Module) -> None:
        """Move above a group offload hook that was added later, from the next call on: a reuse needs no weights."""
        registry = HookRegistry.check_if_exists_or_initialize(module)
        registry.remove_hook(HOOK_NAME, recurse=False)
        change_forward_below_offload(module, lambda: registry.register_hook(self, HOOK_NAME))

    def compute_or_predict(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the engine's output; detach if the model cannot be cached."""
        try:
            return self.engine(forward, args, kwargs)
        except CannotCache:
            self.detach_attachment()
            raise

    def detach(self) -> None:
        """Restore the model. This lets the hook serve as an attachment when no handle was kept."""
        self.detach_attachment()

    def reset_state(self, module: nn.Module) -> nn.Module:
        """End the run: the pipeline has finished."""
        if not self.engine.call_guard.disturb_other_thread():
            self.engine.end_run()
        return module


class HookAttachment:
    """An engine registered on a diffusers model."""

    def __init__(self, module: nn.Module, engine: CacheEngine, context_receiver: CacheContextReceiver) -> None:
        """Register below accelerate's offload hook if there is one."""
        self.engine, self._module = engine, module
        self._created_registry = "_diffusers_hook" not in vars(module)
        self._had_own_forward = "forward" in vars(module)
        registry = HookRegistry.check_if_exists_or_initialize(module)
        if find_cache_hook(module) is not None:
            raise ValueError(ALREADY_CACHED)
        engine.attach()
        hook = NaviCacheHook(context_receiver, engine, self.detach)
        change_forward_below_offload(module, lambda: registry.register_hook(hook, HOOK_NAME))

    def detach(self) -> None:
        """Remove the hook, wherever other hooks have moved it."""
        hook = find_cache_hook(self._module)
        if hook is None or hook.engine is not self.engine:
            return
        registry = HookRegistry.check_if_exists_or_initialize(self._module)
        change_forward_below_offload(self._module, lambda: registry.remove_hook(HOOK_NAME, recurse=False))
        self.engine.detach()
        self.engine.end_run("detached", is_complete=False)
        if type(vars(self._module).get("_cache_config")) is NaviCacheConfig:
            del self._module._cache_config  # set by register(): for diffusers the cache is then disabled
        if registry.hooks or "_old_forward" in vars(self._module):
            return  # others still need the registry, or the forward set on the instance
        if self._created_registry:
            del self._module._diffusers_hook
        if not self._had_own_forward:
            restore_forward(self._module, None)


def get_outermost_hook_name(module: nn.Module) -> str:
    """The name of the hook that runs first in a call of the model."""
    return next(reversed(HookRegistry.check_if_exists_or_initialize(module).hooks))


def describe_call(
    context_receiver: CacheContextReceiver, pipeline: Any | None, steps: int | None, scheduler_name: str = "scheduler"
) -> CallFacts:
    """Describe the current call from context and scheduler, without a device sync."""
    context = context_receiver.current_context or CacheContext("")
    scheduler = getattr(pipeline, scheduler_name, None)
    index, total, timesteps = read_scheduler_position(scheduler)
    total = count_run_steps(pipeline, total)
    sigma = context.sigma if context.sigma is not None and 0 <= context.sigma <= 1 else None
    step_index = index if context.step_index is None else context.step_index
    levels = None if timesteps is None else functools.partial(read_noise_levels, scheduler)
    steps = steps or context.num_inference_steps or total
    return CallFacts(context.name or None, step_index, steps, sigma, timesteps, levels, read_is_flow(scheduler))


def find_block_output_indices(block_lists: Mapping[str, nn.ModuleList]) -> dict[type[nn.Module], tuple[int, int]]:
    """Find the indices of video and text tokens in the outputs of blocks, for block classes that diffusers knows."""
    found: dict[type[nn.Module], tuple[int, int]] = {}
    for kind in {type(block) for blocks in block_lists.values() for block in blocks}:
        try:
            about = TransformerBlockRegistry.get(kind)
        except ValueError:  # unknown to diffusers: the engine goes by shapes
            continue
        if about.return_encoder_hidden_states_index is not None:
            found[kind] = (about.return_hidden_states_index, about.return_encoder_hidden_states_index)
    return found


def is_diffusers_model(target: object) -> bool:
    """Whether the target is a model of diffusers."""
    return isinstance(target, ModelMixin)


def get_model_config(module: nn.Module) -> dict[str, Any]:
    """The model's configuration; empty if it has none."""
    return dict(getattr(module, "config", {}))


def find_cache_hook(module: nn.Module) -> NaviCacheHook | None:
    """The cache's hook on a model; None if it has none."""
    registry = getattr(module, "_diffusers_hook", None)  # also through torch.compile's wrapper
    return None if registry is None else registry.get_hook(HOOK_NAME)


def detach_cache(module: nn.Module) -> None:
    """Remove the cache from a model, if it has one."""
    hook = find_cache_hook(module)
    if hook is not None:
        hook.detach_attachment()
