"""Compare a video with its reference: PSNR, SSIM, LPIPS, and VBench's temporal flickering."""

from navicache.evaluation.comparison import METRICS, Comparison, compare, measure
from navicache.evaluation.flicker import flickering
from navicache.evaluation.perceptual import LpipsUnavailable, lpips
from navicache.evaluation.psnr import psnr, psnr_pooled
from navicache.evaluation.similarity import ssim

__all__ = [
    "METRICS",
    "Comparison",
    "LpipsUnavailable",
    "compare",
    "flickering",
    "lpips",
    "measure",
    "psnr",
    "psnr_pooled",
    "ssim",
]
