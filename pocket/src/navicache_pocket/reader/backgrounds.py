"""Classifies the background: a linear discriminant fitted to rendered scenes."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from navicache_pocket.reader.objects import find_vivid_pixels
from navicache_pocket.world import draw_scenes, render_videos, words

SEED, SCENES, FRAMES, SIZE = 77_001, 288, 2, 64
BANDS, COLUMNS = 8, 16
SHRINKAGE = 0.1  # towards equal variance of all features, since generated videos differ from rendered ones


@dataclass(frozen=True)
class BackgroundClassifier:
    """Mean features of each background, and the inverse covariance that weighs distances from them."""

    means: torch.Tensor
    weights: torch.Tensor

    def classify(self, features: torch.Tensor) -> torch.Tensor:
        """Index into `words.BACKGROUNDS` for each row of features."""
        differences = features.unsqueeze(1) - self.means.to(features.device)
        return torch.einsum("nbf,fg,nbg->nb", differences, self.weights.to(features.device), differences).argmin(1)


def fit_background_classifier(seed: int = SEED, scenes: int = SCENES) -> BackgroundClassifier:
    """Fit means and pooled covariance to the features of rendered scenes; takes seconds and is deterministic.

    Example:
        >>> tuple(fit_background_classifier(scenes=48).means.shape)
        (6, 32)
    """
    examples = draw_scenes(scenes, seed)
    features = torch.cat(
        [
            extract_background_features(*_find_objects(render_videos(examples[row : row + 8], FRAMES, SIZE)))
            for row in range(0, scenes, 8)
        ]
    )
    kinds = range(len(words.BACKGROUNDS))
    means = torch.stack([features[examples.background == kind].mean(0) for kind in kinds])
    residuals = features - means[examples.background]
    covariance = residuals.T @ residuals / len(residuals)
    isotropic = covariance.diagonal().mean() * torch.eye(len(covariance))
    return BackgroundClassifier(means, torch.linalg.inv((1 - SHRINKAGE) * covariance + SHRINKAGE * isotropic))


def extract_background_features(video: torch.Tensor, objects: torch.Tensor) -> torch.Tensor:
    """Colour of horizontal bands and how much the brightness varies along each, both without the objects' pixels."""
    reach = max(1, video.shape[-1] // 24)  # their blurred edges are left out too
    near = functional.max_pool2d(objects.float(), 2 * reach + 1, 1, reach)
    background = (1 - near).unsqueeze(1)
    cells = (video.shape[2], BANDS, COLUMNS)
    share = functional.adaptive_avg_pool3d(background, cells)
    colour = functional.adaptive_avg_pool3d(video * background, cells) / share.clamp(min=1e-3)
    is_known = (share > 0.2).float()  # cells with hardly a background pixel are ignored
    count = is_known.sum((2, 4)).clamp(min=1)
    bands = (colour * is_known).sum((2, 4)) / count
    light, seen = colour.mean(1), is_known.squeeze(1)
    along = seen.sum(3, keepdim=True).clamp(min=1)
    away = (light - (light * seen).sum(3, keepdim=True) / along) * seen
    return torch.cat([bands.flatten(1), (away.square().sum((1, 3)) / count.squeeze(1)).sqrt()], 1)


def _find_objects(video: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return video, find_vivid_pixels(video)[0]
