"""ComfyUI: through the wrappers of its ModelPatcher, on a clone. Nothing of ComfyUI is imported.

`OUTER_SAMPLE` is where a run begins and ends. `APPLY_MODEL` is where the model is called: every model of ComfyUI passes
there, also those without `DIFFUSION_MODEL`, and a compiled model lies below it, so that no graph is broken.

Example:
    model = attach(model, speedup=2.0)  # in a node: MODEL in, MODEL out
    ...
    print(last_run(model).summary)  # after the sampler
"""

from navicache.integrations.comfyui.patch import attach, last_run
from navicache.integrations.comfyui.report import SamplingReport

__all__ = ["SamplingReport", "attach", "last_run"]
