"""The first object's shape: which of the world's outlines covers its pixels best, however large and however turned."""

import math
from functools import cache
from itertools import product

import torch
from torch.nn import functional

from navicache_pocket.reader.objects import NONE, SMALLEST
from navicache_pocket.world import shapes, words

EVERY = 4  # of so many frames one is read
CELLS, REACH = 64, 1.8  # a frame is looked at through so many cells, out to so many radii of a ball of equal area
ANGLES = {"cube": 90, "triangle": 120, "star": 72, "cross": 90}  # degrees after which a shape looks the same
STEP = 3  # degrees
SCALES = (0.85, 0.92, 1.0, 1.08)  # thin arms lose some of their area where they are smoothed
SHIFTS = (-0.05, 0.0, 0.05)  # radii


def outline(mask: torch.Tensor, pair: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Per video an index into `words.SHAPES`, and how well each shape fits (videos, shapes): overlap over union.

    Frames in which the object is cut off, by the picture's edge or, of two, by the middle line, are left out. A video
    without any other frame has no shape.

    Example:
        >>> across = (torch.arange(64) - 31.5).view(1, 1, 1, 64).expand(1, 1, 64, 64)
        >>> ball = across.square() + across.mT.square() < 200
        >>> words.SHAPES[outline(ball, torch.tensor([False]))[0]]
        'ball'
    """
    some = mask[:, ::EVERY]
    frames, known = some.flatten(0, 1), _whole(some, pair).flatten()
    fits = torch.zeros(len(frames), len(words.SHAPES), device=mask.device)
    if known.any():
        fits[known] = _fits(_normal(frames[known].float()))
    count = known.view(some.shape[:2]).sum(1)
    mean = fits.view(*some.shape[:2], -1).sum(1) / count.clamp(min=1).unsqueeze(1)
    return torch.where(count > 0, mean.argmax(1), NONE), mean


def _whole(mask: torch.Tensor, pair: torch.Tensor) -> torch.Tensor:
    """Which frames (videos, frames) show the whole object."""
    middle = mask.shape[-1] // 2 - 1
    edges = (mask[..., 0, :], mask[..., -1, :], mask[..., 0], mask[..., -1])
    cut = torch.stack([edge.any(-1) for edge in edges]).any(0) | (mask[..., middle].any(-1) & pair.view(-1, 1))
    return (mask.float().mean((2, 3)) > SMALLEST) & ~cut


def _normal(frames: torch.Tensor) -> torch.Tensor:
    """Each frame (frames, height, width) as seen from the middle of its pixels, all at the same size."""
    height, width = frames.shape[1:]
    area = frames.sum((1, 2)).clamp(min=1)
    rows, columns = ((torch.arange(size, device=frames.device) + 0.5) * 2 / size - 1 for size in (height, width))
    y, x = (frames.sum(2) @ rows) / area, (frames.sum(1) @ columns) / area
    radius = (area / math.pi).sqrt() * 2 / width
    right, down = _cells(frames.device)
    u, v = (offset * radius.view(-1, 1, 1) + place.view(-1, 1, 1) for offset, place in ((right, x), (down, y)))
    places = torch.stack([u, v * width / height], -1)
    return (functional.grid_sample(frames.unsqueeze(1), places, align_corners=False).squeeze(1) > 0.5).float()


def _fits(frames: torch.Tensor) -> torch.Tensor:
    """The best overlap over union with each shape: (frames, shapes)."""
    flat = frames.flatten(1)
    best: list[torch.Tensor] = []
    for shape in range(len(words.SHAPES)):
        patterns = _patterns(shape).to(flat.device)
        shared = flat @ patterns.T
        best.append((shared / (flat.sum(1, keepdim=True) + patterns.sum(1) - shared)).amax(1))
    return torch.stack(best, 1)


@cache
def _patterns(shape: int) -> torch.Tensor:
    """A shape in every angle, scale and shift that is tried: (tries, cells), 0 or 1."""
    x, y = _cells()
    plain = _inside(shape, x, y)
    cell = (2 * REACH / CELLS) ** 2
    scale = math.sqrt(math.pi / float(plain.sum() * cell))  # as large as a ball of radius one
    off = float((plain * y).sum() / plain.sum()) * scale  # only the triangle's middle is not where its pixels' is
    angles = torch.arange(0, ANGLES.get(words.SHAPES[shape], STEP), STEP).deg2rad()
    tries: list[torch.Tensor] = []
    for angle, size, right, down in product(angles, SCALES, SHIFTS, SHIFTS):
        cos, sin = torch.cos(angle), torch.sin(angle)
        dx, dy = x - right - off * sin, y - down + off * cos
        u, v = cos * dx + sin * dy, cos * dy - sin * dx
        tries.append(_inside(shape, u / (scale * size), v / (scale * size)).flatten())
    return torch.stack(tries)


def _inside(shape: int, u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return (shapes.distance(torch.tensor(shape), u, v) < 0).float()


def _cells(device: torch.device | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """Right and down of each cell's middle, in radii."""
    half = ((torch.arange(CELLS, device=device) + 0.5) * 2 / CELLS - 1) * REACH
    return half.view(1, -1).expand(CELLS, -1), half.view(-1, 1).expand(-1, CELLS)
