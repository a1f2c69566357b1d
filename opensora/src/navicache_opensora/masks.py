"""Mask strategies: which latent frames come from references, and how much these are edited."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

DEFAULT_ALIGN = 5  # latent frames that the VAE encodes together
FIELDS = "loop, reference, reference start, target start, length, edit ratio"


@dataclass(frozen=True)
class ReferencePlacement:
    """Some frames of a reference and where they go in the video, counted in latent frames.

    The edit ratio is the noise level, 0 to 1, below which the frames are denoised: at 0 they stay as they are.
    """

    loop: int = 0
    reference: int = 0
    reference_start: int = 0
    target_start: int = 0
    length: int = 1
    edit_ratio: float = 0.0

    def __post_init__(self) -> None:
        """Raise if a number is out of range."""
        if not 0 <= self.edit_ratio <= 1 or self.length < 1 or self.loop < 0 or self.reference < 0:
            raise ValueError(
                f"a mask strategy needs loop and reference of 0 or more, a length of 1 or more and an edit ratio in "
                f"[0, 1], got {self}"
            )


def parse_mask_strategy(text: str | None) -> tuple[ReferencePlacement, ...]:
    """Read placements separated by `;`, with fields separated by `,`; the last fields may be left out.

    Example:
        >>> parse_mask_strategy("0;0,1,0,-1,1")[1]
        ReferencePlacement(loop=0, reference=1, reference_start=0, target_start=-1, length=1, edit_ratio=0.0)
    """
    return tuple(_parse_placement(group) for group in (text or "").split(";") if group.strip())


def _parse_placement(group: str) -> ReferencePlacement:
    fields = group.split(",")
    try:
        if len(fields) > 6:
            raise ValueError
        return ReferencePlacement(*[int(field) for field in fields[:5]], *[float(field) for field in fields[5:]])
    except ValueError as error:
        reason = f" ({error})" if str(error).startswith("a mask") else ""
        raise ValueError(
            f"cannot read mask strategy {group!r}: it has up to six numbers ({FIELDS}), such as 0,0,0,0,1,0{reason}"
        ) from error


def align_start(start: int, total: int, align: int | None) -> int:
    """Move a start to the nearest multiple of `align`; a negative start counts from the end.

    Example:
        >>> align_start(-8, 15, 5), align_start(4, 15, 5), align_start(13, 15, 5), align_start(-8, 15, None)
        (5, 5, 10, 7)
    """
    start = start + total if start < 0 else start
    if not 0 <= start < total:
        raise ValueError(f"a mask strategy starts at latent frame {start}, and there are {total}")
    if not align:
        return start
    whole, rest = divmod(start, align)
    return align * (whole + (rest > align / 2 and whole < total // align - 1))


def apply_mask_strategy(
    latents: Tensor,
    references: Sequence[Tensor],
    placements: Sequence[ReferencePlacement],
    loop: int = 0,
    align: int | None = DEFAULT_ALIGN,
) -> tuple[Tensor, Tensor]:
    """Copy references into latents (channels, frames, height, width); also returns one edit ratio for each frame.

    A frame with ratio 1 is generated from noise.
    """
    latents, frames = latents.clone(), latents.shape[1]
    placements = [placement for placement in placements if placement.loop == loop]
    check_placements(placements, [reference.shape[1] for reference in references], frames)
    edit_ratios = torch.ones(frames)
    for placement in placements:
        reference = references[placement.reference]
        source = align_start(placement.reference_start, reference.shape[1], align)
        target = align_start(placement.target_start, frames, align)
        length = min(placement.length, frames - target, reference.shape[1] - source)
        latents[:, target : target + length] = reference[:, source : source + length].to(latents)
        edit_ratios[target : target + length] = placement.edit_ratio
    return latents, edit_ratios


def check_placements(placements: Sequence[ReferencePlacement], lengths: Sequence[int], frames: int) -> None:
    """Raise if a placement is outside the references, whose latent frames are `lengths`, or outside the video."""
    for placement in placements:
        if placement.reference >= len(lengths):
            raise ValueError(
                f"the mask strategy names reference {placement.reference}, and there are {len(lengths)}: "
                "pass it in references, which are counted from 0"
            )
        align_start(placement.reference_start, lengths[placement.reference], None)
        align_start(placement.target_start, frames, None)
