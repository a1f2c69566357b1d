"""Open-Sora 1.2 on the base classes of diffusers: transformer, VAE, scheduler and pipeline.

Example:
    pipe = OpenSoraPipeline.from_pretrained(folder, dtype=torch.bfloat16).to("cuda")
    frames = pipe("a boat on the Seine", num_frames="2s").frames[0]
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from navicache_opensora.pipeline import OpenSoraPipeline, OpenSoraPipelineOutput
    from navicache_opensora.scheduler import RectifiedFlowScheduler
    from navicache_opensora.transformer import STDiT3Transformer
    from navicache_opensora.vae import AutoencoderOpenSora

__all__ = [
    "AutoencoderOpenSora",
    "OpenSoraPipeline",
    "OpenSoraPipelineOutput",
    "RectifiedFlowScheduler",
    "STDiT3Transformer",
]

# Imported when they are asked for: the table of sizes is read by those who need neither torch nor diffusers.
MODULES = {
    "AutoencoderOpenSora": "vae",
    "OpenSoraPipeline": "pipeline",
    "OpenSoraPipelineOutput": "pipeline",
    "RectifiedFlowScheduler": "scheduler",
    "STDiT3Transformer": "transformer",
}


def __getattr__(name: str) -> Any:
    """The classes of the package."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{MODULES[name]}"), name)
