"""Captions that no embedded model was trained on: one set to measure with, one to tune with."""

from pathlib import Path

CAPTIONS = Path(__file__).parent / "captions"
SETS = ("held-out", "tune")


def choose_prompts(which: str, count: int) -> list[str]:
    """The first captions of a set; no caption of one set is in the other.

    Example:
        >>> choose_prompts("held-out", 1)
        ['a large yellow striped triangle moving left in front of a striped wall, camera panning']
    """
    if which not in SETS:
        raise ValueError(f"unknown set {which!r}: choose from {', '.join(SETS)}")
    prompts = (CAPTIONS / f"{which}.txt").read_text(encoding="utf-8").splitlines()
    if count > len(prompts):
        raise ValueError(f"there are {len(prompts)} {which} prompts, and {count} are asked for: ask for fewer")
    return prompts[:count]
