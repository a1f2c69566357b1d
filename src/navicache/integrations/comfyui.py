"""The former name of `navicache_comfyui`, which is in the folder of the ComfyUI nodes."""

import importlib.util

from navicache.renamed import resolve_renamed

NAMES = {"Report": "SamplingReport", "SamplingReport": "SamplingReport", "attach": "attach", "last_run": "last_run"}

if importlib.util.find_spec("navicache_comfyui") is None:
    raise ImportError(
        "navicache.integrations.comfyui is now navicache_comfyui, and Python does not find it. "
        "Nodes: copy the folder comfyui of a clone of navicache to custom_nodes/navicache again. "
        "Your own code: add that folder to PYTHONPATH and write `import navicache_comfyui`."
    )

__getattr__ = resolve_renamed(__name__, NAMES, "navicache_comfyui")
