"""NaviCache for ComfyUI: fewer evaluations of the model in a sampling run, and a report about them."""

from .library import check_comfyui, load_library

check_comfyui()
load_library()  # before the imports below, which import it by its name

from comfy_api.latest import ComfyExtension, io  # noqa: E402

from .cache_node import NaviCache  # noqa: E402
from .report_node import NaviCacheReport  # noqa: E402

__all__ = ["WEB_DIRECTORY", "NaviCache", "NaviCacheReport", "comfy_entrypoint"]

WEB_DIRECTORY = "./web"  # the help pages of the nodes


class NaviCacheExtension(ComfyExtension):
    """Lists the nodes of this pack for ComfyUI."""

    async def get_node_list(self) -> list[type[io.ComfyNode]]:
        """All nodes of this pack."""
        return [NaviCache, NaviCacheReport]


async def comfy_entrypoint() -> NaviCacheExtension:
    """Return the extension; ComfyUI calls this when it loads the pack."""
    return NaviCacheExtension()
