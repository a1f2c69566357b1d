"""The embedded models: small and real, the world they were trained on, and how.

Example:
    >>> checkpoint_path().name
    'wan'
"""

from pathlib import Path

from navicache.pocket.members import MEMBERS, Member, checkpoint_path, member
from navicache.pocket.prompts import PROMPTS, unknown

FRAMES, SIZE = 17, 128  # of wan's videos

__all__ = [
    "FRAMES",
    "MEMBERS",
    "PROMPTS",
    "SIZE",
    "Member",
    "calibration_path",
    "checkpoint_path",
    "member",
    "unknown",
]


def calibration_path(method: str) -> Path:
    """The calibration of wan for a policy that needs one, as `enable(..., calibration=)` reads it."""
    return Path(__file__).parent / "calibration" / f"{method}.json"
