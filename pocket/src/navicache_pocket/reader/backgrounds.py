"""The background: a linear discriminant whose class means and spread come from scenes rendered on the spot."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from navicache_pocket.reader.objects import vivid
from navicache_pocket.world import draw, render, words

SEED, SCENES, FRAMES, SIZE = 77_001, 288, 2, 64
BANDS, COLUMNS = 8, 16
SHRINK = 0.1  # towards equal spread in all features: generated videos differ from rendered ones in ways no one chose


@dataclass(frozen=True)
class Backgrounds:
    """What the backgrounds look like: the mean features of each, and how to weigh a distance from them."""

    means: torch.Tensor
    weights: torch.Tensor

    def nearest(self, looks: torch.Tensor) -> torch.Tensor:
        """Index into `words.BACKGROUNDS` for each row of features."""
        away = looks.unsqueeze(1) - self.means.to(looks.device)
        return torch.einsum("nbf,fg,nbg->nb", away, self.weights.to(looks.device), away).argmin(1)


def learn_backgrounds(seed: int = SEED, scenes: int = SCENES) -> Backgrounds:
    """Means and pooled covariance of the features over rendered scenes; takes seconds, gives the same every time.

    Example:
        >>> tuple(learn_backgrounds(scenes=48).means.shape)
        (6, 32)
    """
    drawn = draw(scenes, seed)
    looks = torch.cat([features(*_seen(render(drawn[row : row + 8], FRAMES, SIZE))) for row in range(0, scenes, 8)])
    kinds = range(len(words.BACKGROUNDS))
    means = torch.stack([looks[drawn.background == kind].mean(0) for kind in kinds])
    rest = looks - means[drawn.background]
    spread = rest.T @ rest / len(rest)
    even = spread.diagonal().mean() * torch.eye(len(spread))
    return Backgrounds(means, torch.linalg.inv((1 - SHRINK) * spread + SHRINK * even))


def features(video: torch.Tensor, objects: torch.Tensor) -> torch.Tensor:
    """Colour of horizontal bands and how much the brightness varies along each, both without the objects' pixels."""
    reach = max(1, video.shape[-1] // 24)  # their blurred edges are left out too
    near = functional.max_pool2d(objects.float(), 2 * reach + 1, 1, reach)
    free = (1 - near).unsqueeze(1)
    cells = (video.shape[2], BANDS, COLUMNS)
    share = functional.adaptive_avg_pool3d(free, cells)
    colour = functional.adaptive_avg_pool3d(video * free, cells) / share.clamp(min=1e-3)
    there = (share > 0.2).float()  # of cells with hardly a free pixel nothing is known
    count = there.sum((2, 4)).clamp(min=1)
    bands = (colour * there).sum((2, 4)) / count
    light, seen = colour.mean(1), there.squeeze(1)
    along = seen.sum(3, keepdim=True).clamp(min=1)
    away = (light - (light * seen).sum(3, keepdim=True) / along) * seen
    return torch.cat([bands.flatten(1), (away.square().sum((1, 3)) / count.squeeze(1)).sqrt()], 1)


def _seen(video: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return video, vivid(video)[0]
