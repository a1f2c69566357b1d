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
from navicache.integrations.attach import TWICE, restore_forward, with_forward_below_offload
from navicache.integrations.compiled import Above
from navicache.integrations.config import NaviCacheConfig
from navicache.integrations.scheduler import run_length, scheduler_facts

HOOK = "navicache"
GROUP_OFFLOAD = "group_offloading"  # as diffusers names its hook
PIPELINES = (DiffusionPipeline, ModularPipeline)
DENOISERS = ("transformer", "transformer_2", "transformer_3", "unet", "unet_2", "denoiser", "dit", "prior")


class ContextBox(StateManager):
    """Receives the cache context diffusers hands to every StateManager of a hook."""

    def __init__(self) -> None:
        """No context is open."""
        super().__init__(BaseState)  # pyright: ignore[reportArgumentType]  (annotated as an instance upstream)
        self.context_now: CacheContext | None = None

    def set_context(self, context: CacheContext | None) -> None:
        """Called when a pipeline enters or leaves `cache_context`."""
        self.context_now = context


class NaviCacheHook(ModelHook):
    """Replaces the forward of a transformer by the engine."""

    _is_stateful = True

    def __init__(self, box: ContextBox, engine: Core, give_up: Callable[[], None]) -> None:
        """Wait to be registered."""
        super().__init__()
        self.box, self.engine, self.give_up = box, engine, give_up
        self.above: Above | None = None

    def initialize_hook(self, module: nn.Module) -> nn.Module:
        """Go above a model that was compiled as a whole."""
        self.above = Above(module, self.answer, isinstance(self.engine, Engine))
        return module

    def deinitalize_hook(self, module: nn.Module) -> nn.Module:
        """Come down again; the name is spelt as upstream."""
        if self.above is not None:
            self.above.step_down()
        return module

    def new_forward(self, module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        """Compute or predict; within a compiled call, which is the engine's own doing, just the model."""
        forward = cast(Callable[..., Any], self.fn_ref.original_forward)
        if self.above is not None and self.above.inside:
            return forward(*args, **kwargs)
        if not torch.compiler.is_compiling() and topmost(module) == GROUP_OFFLOAD:
            self._rise(module)
        return self.answer(forward, args, kwargs)

    def _rise(self, module: nn.Module) -> None:
        """Go above group offload that came later, from the next call on: what is reused needs no weights."""
        registry = HookRegistry.check_if_exists_or_initialize(module)
        registry.remove_hook(HOOK, recurse=False)
        with_forward_below_offload(module, lambda: registry.register_hook(self, HOOK))

    def answer(self, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the engine says."""
        try:
            return self.engine(forward, args, kwargs)
        except CannotCache:
            self.give_up()
            raise

    def detach(self) -> None:
        """Leave the model as it was: the hook stands for its attachment where no handle was kept."""
        self.give_up()

    def reset_state(self, module: nn.Module) -> nn.Module:
        """The pipeline has finished."""
        self.engine.end_run()
        return module


class HookAttachment:
    """An engine registered on a diffusers model."""

    def __init__(self, module: nn.Module, engine: Core, box: ContextBox) -> None:
        """Register below accelerate's offload hook, where one is there already."""
        self.engine, self._module = engine, module
        self._fresh = "_diffusers_hook" not in vars(module)
        self._shadowed = "forward" in vars(module)
        registry = HookRegistry.check_if_exists_or_initialize(module)
        if hook_of(module) is not None:
            raise ValueError(TWICE)
        engine.attach()
        with_forward_below_offload(
            module, lambda: registry.register_hook(NaviCacheHook(box, engine, self.detach), HOOK)
        )

    def detach(self) -> None:
        """Take the hook off, wherever other hooks have moved it since."""
        hook = hook_of(self._module)
        if hook is None or hook.engine is not self.engine:
            return
        registry = HookRegistry.check_if_exists_or_initialize(self._module)
        with_forward_below_offload(self._module, lambda: registry.remove_hook(HOOK, recurse=False))
        self.engine.detach()
        self.engine.end_run("detached", finished=False)
        if type(vars(self._module).get("_cache_config")) is NaviCacheConfig:
            del self._module._cache_config  # of register(): diffusers hears of it, whoever takes the cache off
        if registry.hooks or "_old_forward" in vars(self._module):
            return  # others still need the registry, or the forward set on the instance
        if self._fresh:
            del self._module._diffusers_hook
        if not self._shadowed:
            restore_forward(self._module, None)


def topmost(module: nn.Module) -> str:
    """The hook that a call of the model meets first."""
    return next(reversed(HookRegistry.check_if_exists_or_initialize(module).hooks))


def surroundings(box: ContextBox, pipeline: Any | None, steps: int | None) -> Host:
    """What context and scheduler tell about the call at hand, without touching the device."""
    context = box.context_now or CacheContext("")
    index, total, timesteps = scheduler_facts(getattr(pipeline, "scheduler", None))
    total = run_length(pipeline, total)
    sigma = context.sigma if context.sigma is not None and 0 <= context.sigma <= 1 else None
    at = index if context.step_index is None else context.step_index
    return Host(context.name or None, at, steps or context.num_inference_steps or total, sigma, timesteps)


def denoisers(pipeline: Any) -> dict[str, nn.Module]:
    """The models a pipeline calls at every step."""
    components = pipeline.components
    found = {name: components[name] for name in DENOISERS if isinstance(components.get(name), nn.Module)}
    if not found:
        have = ", ".join(name for name, part in components.items() if isinstance(part, nn.Module))
        raise ValueError(
            f"{type(pipeline).__name__} has no denoiser under a known name ({', '.join(DENOISERS)}); it has: {have}. "
            "Pass the model itself: navicache.enable(pipe.<name>)"
        )
    return found


def block_returns(lists: Mapping[str, nn.ModuleList]) -> dict[type[nn.Module], tuple[int, int]]:
    """Places of the video's and the text's tokens in what blocks return, where diffusers knows them."""
    found: dict[type[nn.Module], tuple[int, int]] = {}
    for kind in {type(block) for blocks in lists.values() for block in blocks}:
        try:
            about = TransformerBlockRegistry.get(kind)
        except ValueError:  # what shapes tell has to do
            continue
        if about.return_encoder_hidden_states_index is not None:
            found[kind] = (about.return_hidden_states_index, about.return_encoder_hidden_states_index)
    return found


def is_model(target: object) -> bool:
    """Whether the target carries diffusers' hooks."""
    return isinstance(target, ModelMixin)


def config_of(module: nn.Module) -> dict[str, Any]:
    """The model's configuration, as it was built."""
    return dict(getattr(module, "config", {}))


def hook_of(module: nn.Module) -> NaviCacheHook | None:
    """The cache on a model, if it has one."""
    registry = getattr(module, "_diffusers_hook", None)  # through torch.compile's wrapper too
    return None if registry is None else registry.get_hook(HOOK)


def detach_from(module: nn.Module) -> None:
    """Take the cache off a model, if it has one."""
    hook = hook_of(module)
    if hook is not None:
        hook.give_up()
