"""What a scene sounds like: each object is a chord that follows its path, so what moves is heard to move.

A sound is a sum of partials of 125 Hz, 250 Hz, 375 Hz and so on, with levels that change slowly. All partials begin
together, so 64 samples hold whole periods of each: the levels alone say the waveform, its phase too. A glide fades from
one partial into the next.

* The colour is the pitch, the shape the timbre, and the size the loudness, so what grows becomes louder.
* Height bends the pitch, so what rises is heard to rise; left and right are the two channels.
* What spins is loud and quiet by turns.
"""

import math

import torch
from torch import Tensor

from navicache_pocket.world import words
from navicache_pocket.world.paths import trace_paths
from navicache_pocket.world.scenes import Scenes

RATE, HOP = 8000, 64  # samples per second, and samples in which every partial has whole periods
PARTIALS = HOP // 2 - 1
LOWEST_PITCH, BEND = 2.5, 1.5  # in partials: of the first colour at half height, and from there to the top
LOUDNESS = 1.6  # of an object that fills the picture; two large ones stay below full scale
FADE = 4  # hops, at both ends
TIMBRES = {
    "ball": (1.0, 0.0, 0.0),
    "cube": (0.6, 0.0, 0.4),
    "triangle": (0.7, 0.3, 0.0),
    "star": (0.4, 0.3, 0.3),
    "ring": (0.3, 0.7, 0.0),
    "cross": (0.4, 0.0, 0.6),
}  # shares of the pitch and its first two overtones


def render_sounds(scenes: Scenes, hops: int, moving: int) -> Tensor:
    """Waveforms (scenes, 2, 64 hops) in [-1, 1]; objects move during the first `moving` hops, as in their video.

    Example:
        >>> from navicache_pocket.world.scenes import draw_scenes
        >>> tuple(render_sounds(draw_scenes(3, seed=0), hops=20, moving=16).shape)
        (3, 2, 1280)
    """
    levels = measure_levels(scenes, hops, moving)
    samples = torch.arange(HOP, device=levels.device) / HOP
    numbers = torch.arange(1, PARTIALS + 1, device=levels.device)
    waves = torch.sin(2 * math.pi * numbers[:, None] * samples)
    fading, rising = waves * (1 - samples), waves * samples
    first, last = levels[..., :-1].transpose(2, 3), levels[..., 1:].transpose(2, 3)
    return (first @ fading + last @ rising).flatten(2)


def measure_levels(scenes: Scenes, hops: int, moving: int) -> Tensor:
    """The level of each partial at the edges of the hops: (scenes, 2 channels, partials, hops + 1)."""
    paths = trace_paths(scenes, moving + 1)
    x, y, angle, radius = (_hold_last(path, hops + 1) for path in (paths.x, paths.y, paths.angle, paths.radius))
    timbres = torch.tensor([TIMBRES[name] for name in words.SHAPES], device=x.device)[scenes.shape]
    pitch = LOWEST_PITCH + scenes.colour[..., None] - BEND * y.clamp(-1, 1)
    numbers = torch.arange(1, PARTIALS + 1, device=x.device).view(-1, 1)
    overtones = torch.arange(1, 4, device=x.device).view(-1, 1, 1)
    # (scenes, objects, overtones, partials, hops + 1): the two partials next to each overtone share it
    shares = (1 - (numbers - overtones * pitch[:, :, None, None]).abs()).clamp(min=0)
    chords = (timbres[..., None, None] * shares).sum(2)
    is_there = torch.stack([torch.ones_like(scenes.has_pair), scenes.has_pair], 1)[..., None]
    loudness = LOUDNESS * radius * is_there * (0.6 + 0.4 * torch.cos(4 * angle)) * _fade(hops, x.device)
    side = math.pi / 4 * (1 + x.clamp(-1, 1))
    channels = torch.stack([side.cos(), side.sin()], 1)  # (scenes, channels, objects, hops + 1)
    return torch.einsum("bcot,bot,bokt->bckt", channels, loudness, chords)


def _hold_last(path: Tensor, length: int) -> Tensor:
    held = path[..., -1:].expand(*path.shape[:-1], max(0, length - path.shape[-1]))
    return torch.cat([path, held], -1)[..., :length]


def _fade(hops: int, device: torch.device) -> Tensor:
    edge = torch.arange(hops + 1, device=device)
    return (torch.minimum(edge, hops - edge) / FADE).clamp(max=1)
