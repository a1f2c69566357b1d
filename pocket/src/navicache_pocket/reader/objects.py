"""The first object: where it is by saturation, its colour by hue, its direction by its path over the frames."""

import colorsys
from itertools import pairwise

import torch
from torch.nn import functional

from navicache_pocket.world import words

# Backgrounds reach a saturation of 0.36 (a sky) or, where darker than any object, 0.7 at a chroma of 0.12 (a night);
# objects have 0.7 and 0.3 but for their gloss and their darkest parts.
MIN_SATURATION, MIN_CHROMA = 0.5, 0.2
MIN_AREA = 0.001  # share of the picture below which a frame shows nothing of the object
MIN_MOVEMENT = 0.15  # movement, where half the picture's width is 1, below which it has no direction
UNKNOWN = -1
DIRECTION_VECTORS = tuple(words.DIRECTIONS.values())


def find_vivid_pixels(video: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Which pixels are strongly coloured, and each pixel's hue in turns: (videos, frames, height, width) each.

    Example:
        >>> red_grey = torch.tensor([[1.0, -0.9, -0.9], [0.2, 0.2, 0.1]]).view(2, 3, 1, 1, 1).expand(2, 3, 1, 4, 4)
        >>> find_vivid_pixels(red_grey)[0].all((1, 2, 3)).tolist()
        [True, False]
    """
    red, green, blue = _average_neighbours((video + 1) / 2).unbind(1)
    top, low = torch.stack([red, green, blue]).amax(0), torch.stack([red, green, blue]).amin(0)
    chroma = top - low
    safe = chroma.clamp(min=1e-6)
    hue = torch.where(top == green, 2 + (blue - red) / safe, 4 + (red - green) / safe)
    hue = torch.where(top == red, (green - blue) / safe, hue)
    return (chroma > MIN_SATURATION * top) & (chroma > MIN_CHROMA), (hue / 6) % 1


def find_first_object(
    is_vivid: torch.Tensor, hue: torch.Tensor, has_pair: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Colour and pixels of the first object; of two it is the left one, and its centre never leaves the left half."""
    width, names = is_vivid.shape[-1], len(words.COLOURS)
    across = (torch.arange(width, device=is_vivid.device) + 0.5) * 2 / width - 1
    has_pair = has_pair.view(-1, 1, 1, 1)
    is_vivid = is_vivid & ~(has_pair & (across > 0))
    colours = _classify_hue(hue)
    # Far from the middle nothing of the other object is seen, so votes there count more.
    vote_weight = torch.where(has_pair, (-2 * across).clamp(0, 1), 1.0).expand(is_vivid.shape)
    votes_by_video = colours + names * torch.arange(len(colours), device=colours.device).view(-1, 1, 1, 1)
    votes = torch.bincount(votes_by_video[is_vivid], vote_weight[is_vivid], names * len(colours)).view(-1, names)
    colour = torch.where(votes.amax(1) > 0, votes.argmax(1), UNKNOWN)
    return colour, is_vivid & (colours == colour.view(-1, 1, 1, 1))


def find_direction(mask: torch.Tensor) -> torch.Tensor:
    """Index into `words.DIRECTIONS` of the motion of these pixels over the frames; UNKNOWN if they hardly move.

    In the picture's coordinates: what stands still moves left when the camera pans right.

    Example:
        >>> mask = torch.eye(8).flip(0).view(1, 8, 1, 8) * torch.ones(1, 8, 8, 1)  # a column that moves left
        >>> list(words.DIRECTIONS)[find_direction(mask > 0).item()]
        'moving left'
    """
    visible = (mask.float().mean((2, 3)) > MIN_AREA).float()
    movement = torch.stack([_measure_movement(_find_median_position(mask.sum(side)), visible) for side in (2, 3)], 1)
    projections = movement @ torch.tensor(DIRECTION_VECTORS, device=mask.device, dtype=movement.dtype).T
    distance, which = projections.max(1)
    return torch.where(distance > MIN_MOVEMENT, which, UNKNOWN)


def _average_neighbours(image: torch.Tensor) -> torch.Tensor:
    """The mean over 3 by 3 pixels, against noise."""
    flat = functional.pad(image.transpose(1, 2).flatten(0, 1), (1, 1, 1, 1), mode="replicate")
    return functional.avg_pool2d(flat, 3, 1).unflatten(0, (len(image), -1)).transpose(1, 2)


def _classify_hue(hue: torch.Tensor) -> torch.Tensor:
    """Index of the colour word whose hue is nearest; between two hues the border is halfway."""
    hues = [colorsys.rgb_to_hsv(*colour)[0] for colour in words.COLOURS.values()]
    order = sorted(range(len(hues)), key=hues.__getitem__)
    ring = [*(hues[index] for index in order), 1 + hues[order[0]]]
    borders = torch.tensor([(low + high) / 2 for low, high in pairwise(ring)], device=hue.device)
    return torch.tensor([*order, order[0]], device=hue.device)[torch.bucketize(hue, borders)]


def _find_median_position(profile: torch.Tensor) -> torch.Tensor:
    """Median position, from -1 to 1, of counts along the last axis: robust to outliers."""
    below = profile.cumsum(-1).float()
    half = below[..., -1:] / 2
    index = (below < half).sum(-1, keepdim=True).clamp(max=profile.shape[-1] - 1)
    here = profile.gather(-1, index).clamp(min=1)
    inside = (half - (below.gather(-1, index) - here)) / here
    return ((index + inside) * 2 / profile.shape[-1] - 1).squeeze(-1)


def _measure_movement(track: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Movement over the whole video along the straight line that fits the visible frames best."""
    time = torch.linspace(0, 1, track.shape[1], device=track.device).expand_as(track)
    total = weight.sum(1, keepdim=True).clamp(min=1)
    centred_time = time - (weight * time).sum(1, keepdim=True) / total
    return (weight * centred_time * track).sum(1) / (weight * centred_time * centred_time).sum(1).clamp(min=1e-6)
