"""The first object's shape: which of the world's outlines covers its pixels best, at any size and angle."""

import math
from functools import cache
from itertools import product

import torch
from torch.nn import functional

from navicache_pocket.reader.objects import MIN_AREA, UNKNOWN
from navicache_pocket.world import shapes, words

FRAME_STRIDE = 4  # every fourth frame is read
GRID_SIZE, GRID_REACH = (
    64,
    1.8,
)  # cells per side; from the centre to the edge, in radii of a ball of equal area
SYMMETRY_ANGLES = {"cube": 90, "triangle": 120, "star": 72, "cross": 90}  # degrees after which a shape looks the same
ANGLE_STEP = 3  # degrees
SCALES = (0.85, 0.92, 1.0, 1.08)  # smoothing takes area from thin arms
SHIFTS = (-0.05, 0.0, 0.05)  # radii


def match_outlines(mask: torch.Tensor, has_pair: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Index into `words.SHAPES` per video, and intersection over union with each shape (videos, shapes).

    Frames that cut the object off, at the picture's edge or with two objects at the middle line, are left out. A video
    without any other frame has no shape.

    Example:
        >>> across = (torch.arange(64) - 31.5).view(1, 1, 1, 64).expand(1, 1, 64, 64)
        >>> ball = across.square() + across.mT.square() < 200
        >>> words.SHAPES[match_outlines(ball, torch.tensor([False]))[0]]
        'ball'
    """
    sampled = mask[:, ::FRAME_STRIDE]
    frames, is_whole = sampled.flatten(0, 1), _is_whole(sampled, has_pair).flatten()
    fits = torch.zeros(len(frames), len(words.SHAPES), device=mask.device)
    if is_whole.any():
        fits[is_whole] = _measure_overlap(_normalise_size(frames[is_whole].float()))
    count = is_whole.view(sampled.shape[:2]).sum(1)
    mean = fits.view(*sampled.shape[:2], -1).sum(1) / count.clamp(min=1).unsqueeze(1)
    return torch.where(count > 0, mean.argmax(1), UNKNOWN), mean


def _is_whole(mask: torch.Tensor, has_pair: torch.Tensor) -> torch.Tensor:
    """Which frames (videos, frames) show the whole object."""
    middle = mask.shape[-1] // 2 - 1
    edges = (mask[..., 0, :], mask[..., -1, :], mask[..., 0], mask[..., -1])
    cut = torch.stack([edge.any(-1) for edge in edges]).any(0) | (mask[..., middle].any(-1) & has_pair.view(-1, 1))
    return (mask.float().mean((2, 3)) > MIN_AREA) & ~cut


def _normalise_size(frames: torch.Tensor) -> torch.Tensor:
    """Each frame (frames, height, width) centred on the object and scaled to the same area."""
    height, width = frames.shape[1:]
    area = frames.sum((1, 2)).clamp(min=1)
    rows, columns = ((torch.arange(size, device=frames.device) + 0.5) * 2 / size - 1 for size in (height, width))
    y, x = (frames.sum(2) @ rows) / area, (frames.sum(1) @ columns) / area
    radius = (area / math.pi).sqrt() * 2 / width
    right, down = _list_grid_points(frames.device)
    u, v = (offset * radius.view(-1, 1, 1) + place.view(-1, 1, 1) for offset, place in ((right, x), (down, y)))
    places = torch.stack([u, v * width / height], -1)
    return (functional.grid_sample(frames.unsqueeze(1), places, align_corners=False).squeeze(1) > 0.5).float()


def _measure_overlap(frames: torch.Tensor) -> torch.Tensor:
    """The best intersection over union with each shape: (frames, shapes)."""
    flat = frames.flatten(1)
    best: list[torch.Tensor] = []
    for shape in range(len(words.SHAPES)):
        patterns = _draw_shape_variants(shape).to(flat.device)
        shared = flat @ patterns.T
        best.append((shared / (flat.sum(1, keepdim=True) + patterns.sum(1) - shared)).amax(1))
    return torch.stack(best, 1)


@cache
def _draw_shape_variants(shape: int) -> torch.Tensor:
    """Masks of a shape at every angle, scale and shift that is tried: (variants, cells), 0 or 1."""
    x, y = _list_grid_points()
    untransformed = _is_inside(shape, x, y)
    cell = (2 * GRID_REACH / GRID_SIZE) ** 2
    scale = math.sqrt(math.pi / float(untransformed.sum() * cell))  # as large as a ball of radius one
    offset = (
        float((untransformed * y).sum() / untransformed.sum()) * scale
    )  # only the triangle's origin is not its centre of mass
    angles = torch.arange(0, SYMMETRY_ANGLES.get(words.SHAPES[shape], ANGLE_STEP), ANGLE_STEP).deg2rad()
    variants: list[torch.Tensor] = []
    for angle, size, right, down in product(angles, SCALES, SHIFTS, SHIFTS):
        cos, sin = torch.cos(angle), torch.sin(angle)
        dx, dy = x - right - offset * sin, y - down + offset * cos
        u, v = cos * dx + sin * dy, cos * dy - sin * dx
        variants.append(_is_inside(shape, u / (scale * size), v / (scale * size)).flatten())
    return torch.stack(variants)


def _is_inside(shape: int, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (shapes.signed_distance(torch.tensor(shape), u, v) < 0).float()


def _list_grid_points(device: torch.device | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """Coordinates x (right) and y (down) of each cell's centre, in radii."""
    half = ((torch.arange(GRID_SIZE, device=device) + 0.5) * 2 / GRID_SIZE - 1) * GRID_REACH
    return half.view(1, -1).expand(GRID_SIZE, -1), half.view(-1, 1).expand(-1, GRID_SIZE)
