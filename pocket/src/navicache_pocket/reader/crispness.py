"""How crisp the objects of a video are: how well their outlines fit, compared with the rendered scene."""

import torch

from navicache_pocket.reader.objects import UNKNOWN, find_first_object, find_vivid_pixels
from navicache_pocket.reader.outlines import match_outlines
from navicache_pocket.world import Scenes, render_videos

BATCH_SIZE = 8


def measure_crispness(video: torch.Tensor, scenes: Scenes) -> torch.Tensor:
    """Fit of each object's outline divided by that of the rendered one: (videos, 2).

    1 is as crisp as the rendered video. NaN if there is no second object, or no frame shows all of it.

    Example:
        >>> from navicache_pocket.world import draw_scenes
        >>> scenes = draw_scenes(2, seed=4)
        >>> measure_crispness(render_videos(scenes, frames=1), scenes)[:, 0].tolist()
        [1.0, 1.0]
    """
    rows = range(0, len(video), BATCH_SIZE)
    return torch.cat(
        [_measure_batch(video[row : row + BATCH_SIZE].float(), scenes[row : row + BATCH_SIZE]).cpu() for row in rows]
    )


def _measure_batch(video: torch.Tensor, scenes: Scenes) -> torch.Tensor:
    scenes = scenes.to(video.device)
    rendered = render_videos(scenes, video.shape[2], video.shape[-1])
    columns = [
        _measure_outline_fit(video, scenes, which) / _measure_outline_fit(rendered, scenes, which) for which in (0, 1)
    ]
    columns[1] = torch.where(scenes.has_pair, columns[1], torch.nan)
    return torch.stack(columns, 1)


def _measure_outline_fit(video: torch.Tensor, scenes: Scenes, which: int) -> torch.Tensor:
    """How well an object's own outline fits; for the second object the video is mirrored."""
    mask = find_first_object(*find_vivid_pixels(video.flip(-1) if which else video), scenes.has_pair)[1]
    found, fits = match_outlines(mask, scenes.has_pair)
    own = fits.gather(1, scenes.shape[:, which : which + 1]).squeeze(1)
    return torch.where(found == UNKNOWN, torch.nan, own)
