"""SGLang's entry point: registers the hooks in every process that denoises."""

import json
import os
from typing import Any

from torch import distributed

from navicache_serving import server_settings

SETTINGS_VARIABLE = "NAVICACHE_SGLANG"  # environment variable: settings for requests that have none


def register() -> None:
    """Register the hooks with SGLang, which applies them before it serves; wrong settings raise a ValueError."""
    from sglang.multimodal_gen.runtime.managers.forward_context import (  # pyright: ignore[reportMissingImports]
        get_forward_context_or_none,
    )
    from sglang.multimodal_gen.runtime.platforms.plugins import (  # pyright: ignore[reportMissingImports]
        HookRegistry,
        HookType,
    )

    from navicache_serving.sglang.all_hooks import build_hooks

    server = parse_server_settings(os.environ.get(SETTINGS_VARIABLE))
    server_settings.read_settings(server)
    for target, hook in build_hooks(get_forward_context_or_none, find_replica_group, server).items():
        HookRegistry.register(target, hook, HookType.AROUND)


def parse_server_settings(text: str | None) -> Any:
    """Parse the settings in the environment variable; None if it is empty.

    Example:
        >>> parse_server_settings('{"speedup": 2.0}'), parse_server_settings("true"), parse_server_settings("")
        ({'speedup': 2.0}, True, None)
    """
    if not text:
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f'{SETTINGS_VARIABLE} must be JSON, such as {{"speedup": 2.0}}, got {text!r}') from error


def find_replica_group() -> Any:
    """Find the process group of the ranks that make one video; None on a single rank."""
    if not distributed.is_available() or not distributed.is_initialized():
        return None
    from sglang.multimodal_gen.runtime.distributed.parallel_state import (  # pyright: ignore[reportMissingImports]
        get_replica_group,
    )

    return get_replica_group().device_group
