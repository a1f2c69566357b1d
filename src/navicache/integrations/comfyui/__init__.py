"""The cache for ComfyUI: wrappers of its ModelPatcher, on a clone. Nothing of ComfyUI is imported.

A run starts and ends in `OUTER_SAMPLE`. The model is called in `APPLY_MODEL`: every model of ComfyUI passes there, also
those without `DIFFUSION_MODEL`, and a compiled model is below it, so no graph breaks.

Example:
    model = attach(model, speedup=2.0)  # in a node: MODEL in, MODEL out
    ...
    print(last_run(model).summary)  # after the sampler
"""

from typing import TYPE_CHECKING

from navicache.integrations.comfyui.patch import attach, last_run
from navicache.integrations.comfyui.report import SamplingReport
from navicache.renamed import resolve_renamed

__all__ = ["SamplingReport", "attach", "last_run"]

if not TYPE_CHECKING:  # type checkers know the new names only
    __getattr__ = resolve_renamed(
        __name__,
        {
            "Report": "SamplingReport",
        },
    )
