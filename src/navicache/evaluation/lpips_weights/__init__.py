"""The weights of LPIPS: where they are, what they must be, where they come from."""

from navicache.evaluation.lpips_weights.file import FILE_NAME, WeightsError, default_path, load
from navicache.evaluation.lpips_weights.installer import install

__all__ = ["FILE_NAME", "WeightsError", "default_path", "install", "load"]
