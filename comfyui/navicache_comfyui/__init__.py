"""The cache for ComfyUI: wrappers of its ModelPatcher, on a clone. Nothing of ComfyUI is imported.

Imports between its modules are relative: ComfyUI loads this package inside the node pack, under a name of its own.

A run starts and ends in `OUTER_SAMPLE`. The model is called in `APPLY_MODEL`: every model of ComfyUI passes there, also
those without `DIFFUSION_MODEL`, and a compiled model is below it, so no graph breaks.

Example:
    model = attach(model, speedup=2.0)  # in a node: MODEL in, MODEL out
    ...
    print(last_run(model).summary)  # after the sampler
"""

from .patch import attach, last_run
from .report import SamplingReport

__all__ = ["SamplingReport", "attach", "last_run"]
