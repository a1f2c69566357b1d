"""Open-Sora 1.2 on the base classes of diffusers: transformer, VAE, scheduler and pipeline.

Example:
    pipe = OpenSoraPipeline.from_pretrained(folder, dtype=torch.bfloat16).to("cuda")
    frames = pipe("a boat on the Seine", num_frames="2s").frames[0]
"""

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
