"""The first object: where it is by saturation, its colour by hue, its direction by its path over the frames."""

import colorsys
from itertools import pairwise

import torch
from torch.nn import functional

from navicache_pocket.world import words

# Backgrounds reach a saturation of 0.36 (a sky) or, where darker than any object, 0.7 at a chroma of 0.12 (a night);
# objects have 0.7 and 0.3 but for their gloss and their darkest parts.
SATURATION, CHROMA = 0.5, 0.2
SMALLEST = 0.001  # share of the picture below which a frame shows nothing of the object
STILL = 0.15  # movement, where half the picture's width is 1, below which it has no direction
NONE = -1
STEPS = tuple(words.DIRECTIONS.values())


def vivid(video: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Which pixels are strongly coloured, and each pixel's hue in turns: (videos, frames, height, width) each.

    Example:
        >>> red_grey = torch.tensor([[1.0, -0.9, -0.9], [0.2, 0.2, 0.1]]).view(2, 3, 1, 1, 1).expand(2, 3, 1, 4, 4)
        >>> vivid(red_grey)[0].all((1, 2, 3)).tolist()
        [True, False]
    """
    red, green, blue = _smooth((video + 1) / 2).unbind(1)
    top, low = torch.stack([red, green, blue]).amax(0), torch.stack([red, green, blue]).amin(0)
    chroma = top - low
    safe = chroma.clamp(min=1e-6)
    hue = torch.where(top == green, 2 + (blue - red) / safe, 4 + (red - green) / safe)
    hue = torch.where(top == red, (green - blue) / safe, hue)
    return (chroma > SATURATION * top) & (chroma > CHROMA), (hue / 6) % 1


def first_object(strong: torch.Tensor, hue: torch.Tensor, pair: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Colour and pixels of the first object; of two it is the left one, and its centre never leaves the left half."""
    width, names = strong.shape[-1], len(words.COLOURS)
    across = (torch.arange(width, device=strong.device) + 0.5) * 2 / width - 1
    pair = pair.view(-1, 1, 1, 1)
    strong = strong & ~(pair & (across > 0))
    named = _nearest(hue)
    # Far from the middle nothing of the other object is seen, so votes there count more.
    trust = torch.where(pair, (-2 * across).clamp(0, 1), 1.0).expand(strong.shape)
    ballot = named + names * torch.arange(len(named), device=named.device).view(-1, 1, 1, 1)
    votes = torch.bincount(ballot[strong], trust[strong], names * len(named)).view(-1, names)
    colour = torch.where(votes.amax(1) > 0, votes.argmax(1), NONE)
    return colour, strong & (named == colour.view(-1, 1, 1, 1))


def direction(mask: torch.Tensor) -> torch.Tensor:
    """Index into `words.DIRECTIONS` of where the pixels go over the frames; NONE where they hardly move.

    As seen in the picture: what stands still moves left when the camera pans to the right.

    Example:
        >>> mask = torch.eye(8).flip(0).view(1, 8, 1, 8) * torch.ones(1, 8, 8, 1)  # a column that moves left
        >>> list(words.DIRECTIONS)[direction(mask > 0).item()]
        'moving left'
    """
    visible = (mask.float().mean((2, 3)) > SMALLEST).float()
    moved = torch.stack([_slope(_middle(mask.sum(side)), visible) for side in (2, 3)], 1)
    along = moved @ torch.tensor(STEPS, device=mask.device, dtype=moved.dtype).T
    far, which = along.max(1)
    return torch.where(far > STILL, which, NONE)


def _smooth(image: torch.Tensor) -> torch.Tensor:
    """The mean over 3 by 3 pixels: takes the edge off noise."""
    flat = functional.pad(image.transpose(1, 2).flatten(0, 1), (1, 1, 1, 1), mode="replicate")
    return functional.avg_pool2d(flat, 3, 1).unflatten(0, (len(image), -1)).transpose(1, 2)


def _nearest(hue: torch.Tensor) -> torch.Tensor:
    """Index of the colour word whose hue is nearest; between two hues the border is halfway."""
    hues = [colorsys.rgb_to_hsv(*colour)[0] for colour in words.COLOURS.values()]
    order = sorted(range(len(hues)), key=hues.__getitem__)
    ring = [*(hues[index] for index in order), 1 + hues[order[0]]]
    borders = torch.tensor([(low + high) / 2 for low, high in pairwise(ring)], device=hue.device)
    return torch.tensor([*order, order[0]], device=hue.device)[torch.bucketize(hue, borders)]


def _middle(profile: torch.Tensor) -> torch.Tensor:
    """Median position, from -1 to 1, of counts along the last axis: strays far away hardly move it."""
    below = profile.cumsum(-1).float()
    half = below[..., -1:] / 2
    index = (below < half).sum(-1, keepdim=True).clamp(max=profile.shape[-1] - 1)
    here = profile.gather(-1, index).clamp(min=1)
    inside = (half - (below.gather(-1, index) - here)) / here
    return ((index + inside) * 2 / profile.shape[-1] - 1).squeeze(-1)


def _slope(track: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Movement over the whole video along the straight line that fits the visible frames best."""
    time = torch.linspace(0, 1, track.shape[1], device=track.device).expand_as(track)
    total = weight.sum(1, keepdim=True).clamp(min=1)
    late = time - (weight * time).sum(1, keepdim=True) / total
    return (weight * late * track).sum(1) / (weight * late * late).sum(1).clamp(min=1e-6)
