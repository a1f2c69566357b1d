"""How near a video is to its reference: PSNR, SSIM, LPIPS, and VBench's temporal flickering."""

from navicache.evaluation.comparison import Comparison, compare
from navicache.evaluation.flicker import flickering
from navicache.evaluation.perceptual import Unavailable, lpips
from navicache.evaluation.psnr import psnr, psnr_pooled
from navicache.evaluation.similarity import ssim

__all__ = ["Comparison", "Unavailable", "compare", "flickering", "lpips", "psnr", "psnr_pooled", "ssim"]
