"""diffusers: through its own HookRegistry, at the root of the transformer.

Imported only where diffusers has been imported already.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

import torch
from diffusers import DiffusionPipeline, ModelMixin, ModularPipeline
from diffusers.hooks import HookRegistry, ModelHook
from diffusers.hooks._helpers import TransformerBlockRegistry
from diffusers.hooks.hooks import BaseState, CacheContext, StateManager
from torch import nn

from navicache.engine import CannotCache, Core, Engine, Host
from navicache.integrations.attachments import ALREADY_CACHED, restore_forward, change_forward_below_offload
from navicache.integrations.compiled_call import CompiledCallWrapper
from navicache.integrations.config import NaviCacheConfig
from navicache.integrations.scheduler import count_run_steps, read_scheduler_position

HOOK_NAME = "navicache"
GROUP_OFFLOAD_HOOK = "group_offloading"  # as diffusers names its hook
PIPELINE_CLASSES = (DiffusionPipeline, ModularPipeline)
DENOISER_NAMES = ("transformer", "transformer_2", "transformer_3", "unet", "unet_2", "denoiser", "dit", "prior")


class CacheContextReceiver(StateManager):
    """Receives the cache context diffusers hands to every StateManager of a hook."""

    def __init__(self) -> None:
        """No context is open."""
        super().__init__(BaseState)  # pyright: ignore[reportArgumentType]  (annotated as an instance upstream)
        self.current_context: CacheContext | None = None

    def set_context(self, context: CacheContext | None) -> None:
        """Called when a pipeline enters or leaves `cache_context`."""
        self.current_context = context


class NaviCacheHook(ModelHook):
    """Replaces the forward of a transformer by the engine."""

    _is_stateful = True

    def __init__(
        self, context_receiver: CacheContextReceiver, engine: Core, detach_attachment: Callable[[], None]
    ) -> None:
        """Wait to be registered."""
        super().__init__()
        self.context_receiver, self.engine, self.detach_attachment = context_receiver, engine, detach_attachment
        self.compiled_call: CompiledCallWrapper | None = None

    def initialize_hook(self, module: nn.Module) -> nn.Module:
        """Go above a model that was compiled as a whole."""
        self.compiled_call = CompiledCallWrapper(module, self.compute_or_predict, isinstance(self.engine, Engine))
        return module

    def deinitalize_hook(self, module: nn.Module) -> nn.Module:
        """Come down again; the name is spelt as upstream."""
        if self.compiled_call is not None:
            self.compiled_call.restore_compiled_call()
        return module

    def new_forward(self, module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        """Compute or predict; within a compiled call, which is the engine's own doing, just the model."""
        forward = cast(Callable[..., Any], self.fn_ref.original_forward)
        if self.compiled_call is not None and self.compiled_call.is_running:
            return forward(*args, **kwargs)
        if not torch.compiler.is_compiling() and get_outermost_hook_name(module) == GROUP_OFFLOAD_HOOK:
            self._move_above_group_offload(module)
        return self.compute_or_predict(forward, args, kwargs)

    def _move_above_group_offload(self, module: nn.Module) -> None:
        """Go above group offload that came later, from the next call on: what is reused needs no weights."""
        registry = HookRegistry.check_if_exists_or_initialize(module)
        registry.remove_hook(HOOK_NAME, recurse=False)
        change_forward_below_offload(module, lambda: registry.register_hook(self, HOOK_NAME))

    def compute_or_predict(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the engine says."""
        try:
            return self.engine(forward, args, kwargs)
        except CannotCache:
            self.detach_attachment()
            raise

    def detach(self) -> None:
        """Leave the model as it was: the hook stands for its attachment where no handle was kept."""
        self.detach_attachment()

    def reset_state(self, module: nn.Module) -> nn.Module:
        """The pipeline has finished."""
        self.engine.end_run()
        return module


class HookAttachment:
    """An engine registered on a diffusers model."""

    def __init__(self, module: nn.Module, engine: Core, context_receiver: CacheContextReceiver) -> None:
        """Register below accelerate's offload hook, where one is there already."""
        self.engine, self._module = engine, module
        self._created_registry = "_diffusers_hook" not in vars(module)
        self._had_own_forward = "forward" in vars(module)
        registry = HookRegistry.check_if_exists_or_initialize(module)
        if find_cache_hook(module) is not None:
            raise ValueError(ALREADY_CACHED)
        engine.attach()
        change_forward_below_offload(
            module, lambda: registry.register_hook(NaviCacheHook(context_receiver, engine, self.detach), HOOK_NAME)
        )

    def detach(self) -> None:
        """Take the hook off, wherever other hooks have moved it since."""
        hook = find_cache_hook(self._module)
        if hook is None or hook.engine is not self.engine:
            return
        registry = HookRegistry.check_if_exists_or_initialize(self._module)
        change_forward_below_offload(self._module, lambda: registry.remove_hook(HOOK_NAME, recurse=False))
        self.engine.detach()
        self.engine.end_run("detached", finished=False)
        if type(vars(self._module).get("_cache_config")) is NaviCacheConfig:
            del self._module._cache_config  # of register(): diffusers hears of it, whoever takes the cache off
        if registry.hooks or "_old_forward" in vars(self._module):
            return  # others still need the registry, or the forward set on the instance
        if self._created_registry:
            del self._module._diffusers_hook
        if not self._had_own_forward:
            restore_forward(self._module, None)


def get_outermost_hook_name(module: nn.Module) -> str:
    """The hook that a call of the model meets first."""
    return next(reversed(HookRegistry.check_if_exists_or_initialize(module).hooks))


def describe_call(context_receiver: CacheContextReceiver, pipeline: Any | None, steps: int | None) -> Host:
    """What context and scheduler tell about the call at hand, without touching the device."""
    context = context_receiver.current_context or CacheContext("")
    index, total, timesteps = read_scheduler_position(getattr(pipeline, "scheduler", None))
    total = count_run_steps(pipeline, total)
    sigma = context.sigma if context.sigma is not None and 0 <= context.sigma <= 1 else None
    at = index if context.step_index is None else context.step_index
    return Host(context.name or None, at, steps or context.num_inference_steps or total, sigma, timesteps)


def find_denoisers(pipeline: Any) -> dict[str, nn.Module]:
    """The models a pipeline calls at every step."""
    components = pipeline.components
    found = {name: components[name] for name in DENOISER_NAMES if isinstance(components.get(name), nn.Module)}
    if not found:
        have = ", ".join(name for name, part in components.items() if isinstance(part, nn.Module))
        raise ValueError(
            f"{type(pipeline).__name__} has no denoiser under a known name ({', '.join(DENOISER_NAMES)}); it has: {have}. "
            "Pass the model itself: navicache.enable(pipe.<name>)"
        )
    return found


def find_block_output_indices(block_lists: Mapping[str, nn.ModuleList]) -> dict[type[nn.Module], tuple[int, int]]:
    """Places of the video's and the text's tokens in what blocks return, where diffusers knows them."""
    found: dict[type[nn.Module], tuple[int, int]] = {}
    for kind in {type(block) for blocks in block_lists.values() for block in blocks}:
        try:
            about = TransformerBlockRegistry.get(kind)
        except ValueError:  # what shapes tell has to do
            continue
        if about.return_encoder_hidden_states_index is not None:
            found[kind] = (about.return_hidden_states_index, about.return_encoder_hidden_states_index)
    return found


def is_diffusers_model(target: object) -> bool:
    """Whether the target carries diffusers' hooks."""
    return isinstance(target, ModelMixin)


def get_model_config(module: nn.Module) -> dict[str, Any]:
    """The model's configuration, as it was built."""
    return dict(getattr(module, "config", {}))


def find_cache_hook(module: nn.Module) -> NaviCacheHook | None:
    """The cache on a model, if it has one."""
    registry = getattr(module, "_diffusers_hook", None)  # through torch.compile's wrapper too
    return None if registry is None else registry.get_hook(HOOK_NAME)


def detach_cache(module: nn.Module) -> None:
    """Take the cache off a model, if it has one."""
    hook = find_cache_hook(module)
    if hook is not None:
        hook.detach_attachment()
