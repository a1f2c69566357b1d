"""Compare a video with its reference: PSNR, SSIM, LPIPS, and VBench's temporal flickering."""

from typing import TYPE_CHECKING

from navicache.evaluation.comparison import METRICS, Comparison, compare, measure
from navicache.evaluation.flicker import flickering
from navicache.evaluation.perceptual import LpipsUnavailable, lpips
from navicache.evaluation.psnr import psnr, psnr_pooled
from navicache.evaluation.similarity import ssim
from navicache.renamed import resolve_renamed

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

if not TYPE_CHECKING:  # type checkers know the new names only
    __getattr__ = resolve_renamed(__name__)
