"""For ComfyUI: a clone of this repository in custom_nodes is the node pack. The library itself is in src/navicache."""

from typing import Any

WEB_DIRECTORY = "./comfyui/web"  # the help pages of the nodes


async def comfy_entrypoint() -> Any:
    """Return the extension of the pack in comfyui/; ComfyUI calls this when it loads the clone."""
    from .comfyui import comfy_entrypoint as pack_entrypoint  # not earlier: pytest imports this file too

    return await pack_entrypoint()
