"""NaviCache for ComfyUI: fewer evaluations of the model in a sampling run, and a report about them."""

from comfy_api.latest import ComfyExtension, io

from .cache_node import NaviCache
from .report_node import NaviCacheReport

__all__ = ["NaviCache", "NaviCacheReport", "comfy_entrypoint"]


class NaviCacheExtension(ComfyExtension):
    """Lists the nodes of this pack for ComfyUI."""

    async def get_node_list(self) -> list[type[io.ComfyNode]]:
        """All nodes of this pack."""
        return [NaviCache, NaviCacheReport]


async def comfy_entrypoint() -> NaviCacheExtension:
    """Return the extension; ComfyUI calls this when it loads the pack."""
    return NaviCacheExtension()
