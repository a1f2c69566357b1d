"""The embedded models: where their files are, their prompts and their calibrations.

Example:
    >>> checkpoint_path().name
    'wan'
"""

from pathlib import Path

from navicache.pocket.members import MEMBERS, WAN, Member, checkpoint_path, find_member
from navicache.pocket.prompts import PROMPTS, find_unknown_words
from navicache.renamed import resolve_renamed

FRAMES, SIZE = 17, 128  # of wan's videos

__getattr__ = resolve_renamed(__name__, {"member": "find_member"}, "navicache.pocket.members")

__all__ = [
    "FRAMES",
    "MEMBERS",
    "PROMPTS",
    "SIZE",
    "Member",
    "calibration_path",
    "checkpoint_path",
    "find_member",
    "find_unknown_words",
]


def calibration_path(method: str, name: str = WAN) -> Path:
    """The calibration file of a member for a policy, for `enable(..., calibration=)`."""
    path = Path(__file__).parent / "calibration" / name / f"{method}.json"
    if not path.is_file():
        raise ValueError(
            f"the embedded {name} was not measured for {method}: "
            f"run `navicache calibrate --method {method} --model pocket:{name} --out FILE` and give its file"
        )
    return path
