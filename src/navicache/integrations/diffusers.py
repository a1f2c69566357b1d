"""diffusers: through its own HookRegistry, at the root of the transformer.

Imported only where diffusers has been imported already.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, cast

from diffusers import DiffusionPipeline, ModelMixin, ModularPipeline
from diffusers.hooks import HookRegistry, ModelHook
from diffusers.hooks._helpers import TransformerBlockRegistry
from diffusers.hooks.hooks import BaseState, CacheContext, StateManager
from torch import nn

from navicache.engine import CannotCache, Core, Host
from navicache.integrations.attach import TWICE, restore_forward, with_forward_below_offload

HOOK = "navicache"
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

    def new_forward(self, module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        """Compute or predict."""
        del module
        try:
            return self.engine(cast(Callable[..., Any], self.fn_ref.original_forward), args, kwargs)
        except CannotCache:
            self.give_up()
            raise

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
        if registry.hooks or "_old_forward" in vars(self._module):
            return  # others still need the registry, or the forward set on the instance
        if self._fresh:
            del self._module._diffusers_hook
        if not self._shadowed:
            restore_forward(self._module, None)


def surroundings(box: ContextBox, pipeline: Any | None, steps: int | None) -> Host:
    """What context and scheduler tell about the call at hand, without touching the device."""
    context = box.context_now or CacheContext("")
    index, total, timesteps = scheduler_facts(getattr(pipeline, "scheduler", None))
    total = run_length(pipeline, total)
    sigma = context.sigma if context.sigma is not None and 0 <= context.sigma <= 1 else None
    at = index if context.step_index is None else context.step_index
    return Host(context.name or None, at, steps or context.num_inference_steps or total, sigma, timesteps)


def scheduler_facts(scheduler: Any) -> tuple[int | None, int | None, Any]:
    """Steps taken in this run (None before the first), steps in all, and the timesteps, new for every run.

    A scheduler that has not been set up, or has taken all its steps, tells nothing: another one is at work.
    """
    timesteps = getattr(scheduler, "timesteps", None)
    if timesteps is None or getattr(scheduler, "num_inference_steps", None) is None:
        return None, None, None
    index, steps = getattr(scheduler, "step_index", None), timesteps.shape[0]
    begin = getattr(scheduler, "begin_index", None) or 0
    if index is None:
        return None, steps - begin, timesteps
    if index >= steps:
        return None, None, None
    return index - begin, steps - begin, timesteps


def run_length(pipeline: Any | None, total: int | None) -> int | None:
    """Steps of this run, where `total` counts all of the schedule.

    Pipelines that take a `strength` leave out the first steps. A scheduler that keeps no `begin_index` (DDIM) does not
    know, but the pipeline does. No other pipeline is asked: in a loop of the user's own its answer would be an old one.
    """
    told = getattr(pipeline, "num_timesteps", None)
    if not told or total is None or not _leaves_out_steps(type(pipeline)):
        return total
    keeps_begin = getattr(type(getattr(pipeline, "scheduler", None)), "begin_index", None) is not None
    return total if keeps_begin else min(told, total)


@functools.cache
def _leaves_out_steps(kind: type) -> bool:
    return "strength" in inspect.signature(kind.__call__).parameters


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
