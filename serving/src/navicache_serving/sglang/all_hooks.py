"""All hooks, by the methods of SGLang that they wrap."""

from collections.abc import Callable
from typing import Any

from navicache_serving.sglang.helios import HeliosHooks
from navicache_serving.sglang.hooks import DenoisingHooks, StageMethod
from navicache_serving.sglang.loop_runner import LoopRunner
from navicache_serving.sglang.own_loops import OwnLoopHooks
from navicache_serving.sglang.plain_requests import ExecutionHooks


def build_hooks(
    get_forward_context: Callable[[], Any], get_process_group: Callable[[], Any], server_settings: Any = None
) -> dict[str, StageMethod]:
    """Build the hooks of one process; they share the settings of the server."""
    runner = LoopRunner(get_process_group, server_settings)
    groups = (
        DenoisingHooks(runner, get_forward_context),
        OwnLoopHooks(runner, get_forward_context),
        HeliosHooks(runner),
        ExecutionHooks(runner),
    )
    return {target: hook for group in groups for target, hook in group.map_hooks_to_methods().items()}
