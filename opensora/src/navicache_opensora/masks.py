"""Which latent frames are given, which are made, and which are given and then changed."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

ALIGN = 5  # latent frames of a group the VAE makes at once
FIELDS = "loop, reference, reference start, target start, length, edit ratio"


@dataclass(frozen=True)
class Placement:
    """A stretch of a reference put into a video, both counted in latent frames.

    The edit ratio is the noise level, 0 to 1, below which the frames are changed: at 0 they stay as they are.
    """

    loop: int = 0
    reference: int = 0
    reference_start: int = 0
    target_start: int = 0
    length: int = 1
    edit_ratio: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if not 0 <= self.edit_ratio <= 1 or self.length < 1 or self.loop < 0 or self.reference < 0:
            raise ValueError(
                f"a mask strategy needs loop and reference of 0 or more, a length of 1 or more and an edit ratio in "
                f"[0, 1], got {self}"
            )


def parse_strategy(text: str | None) -> tuple[Placement, ...]:
    """Placements parted by `;`, their fields by `,`; fields at the end may be left out.

    Example:
        >>> parse_strategy("0;0,1,0,-1,1")[1]
        Placement(loop=0, reference=1, reference_start=0, target_start=-1, length=1, edit_ratio=0.0)
    """
    return tuple(_parse(group) for group in (text or "").split(";") if group.strip())


def _parse(group: str) -> Placement:
    fields = group.split(",")
    try:
        if len(fields) > 6:
            raise ValueError
        return Placement(*[int(field) for field in fields[:5]], *[float(field) for field in fields[5:]])
    except ValueError as error:
        reason = f" ({error})" if str(error).startswith("a mask") else ""
        raise ValueError(
            f"cannot read mask strategy {group!r}: it has up to six numbers ({FIELDS}), such as 0,0,0,0,1,0{reason}"
        ) from error


def aligned(start: int, total: int, align: int | None) -> int:
    """The start, counted from the end where negative, moved to the nearest group.

    Example:
        >>> aligned(-8, 15, 5), aligned(4, 15, 5), aligned(13, 15, 5), aligned(-8, 15, None)
        (5, 5, 10, 7)
    """
    start = start + total if start < 0 else start
    if not 0 <= start < total:
        raise ValueError(f"a mask strategy starts at latent frame {start}, and there are {total}")
    if not align:
        return start
    whole, rest = divmod(start, align)
    return align * (whole + (rest > align / 2 and whole < total // align - 1))


def apply_strategy(
    latents: Tensor,
    references: Sequence[Tensor],
    placements: Sequence[Placement],
    loop: int = 0,
    align: int | None = ALIGN,
) -> tuple[Tensor, Tensor]:
    """Latents (channels, frames, height, width) with the references put in, and one edit ratio for each frame.

    A ratio of 1 means that the frame is made from noise.
    """
    latents, frames = latents.clone(), latents.shape[1]
    placements = [placement for placement in placements if placement.loop == loop]
    check_placements(placements, [reference.shape[1] for reference in references], frames)
    mask = torch.ones(frames)
    for placement in placements:
        reference = references[placement.reference]
        source = aligned(placement.reference_start, reference.shape[1], align)
        target = aligned(placement.target_start, frames, align)
        length = min(placement.length, frames - target, reference.shape[1] - source)
        latents[:, target : target + length] = reference[:, source : source + length].to(latents)
        mask[target : target + length] = placement.edit_ratio
    return latents, mask


def check_placements(placements: Sequence[Placement], lengths: Sequence[int], frames: int) -> None:
    """Refuse placements that name a reference or a latent frame there is not; `lengths` are those of the references."""
    for placement in placements:
        if placement.reference >= len(lengths):
            raise ValueError(
                f"the mask strategy names reference {placement.reference}, and there are {len(lengths)}: "
                "pass it in references; they count from 0"
            )
        aligned(placement.reference_start, lengths[placement.reference], None)
        aligned(placement.target_start, frames, None)
