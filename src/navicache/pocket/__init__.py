"""The embedded model: a small real Wan, the world it was trained on, and how.

Example:
    >>> checkpoint_path().name
    'checkpoint'
"""

from pathlib import Path

from navicache.pocket.prompts import PROMPTS, unknown

FRAMES, SIZE = 17, 128

__all__ = ["FRAMES", "PROMPTS", "SIZE", "calibration_path", "checkpoint_path", "unknown"]


def checkpoint_path() -> Path:
    """The folder that `WanPipeline.from_pretrained` opens."""
    return Path(__file__).parent / "checkpoint"


def calibration_path(method: str) -> Path:
    """The embedded model's calibration for "teacache" or "magcache", as `enable(..., calibration=)` reads it."""
    return Path(__file__).parent / "calibration" / f"{method}.json"
