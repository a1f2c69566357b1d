"""How crisp the objects of a video are: how well their outlines fit, beside those of the same scenes rendered."""

import torch

from navicache_pocket.reader.objects import NONE, first_object, vivid
from navicache_pocket.reader.outlines import outline
from navicache_pocket.world import Scenes, render

AT_ONCE = 8


def crispness(video: torch.Tensor, scenes: Scenes) -> torch.Tensor:
    """Per video and object the fit of its outline over that of the rendered one: (videos, 2).

    About 1 is as crisp as the world itself. NaN where there is no second object, or one is never seen whole.

    Example:
        >>> from navicache_pocket.world import draw
        >>> scenes = draw(2, seed=4)
        >>> crispness(render(scenes, frames=1), scenes)[:, 0].tolist()
        [1.0, 1.0]
    """
    rows = range(0, len(video), AT_ONCE)
    return torch.cat([_part(video[row : row + AT_ONCE].float(), scenes[row : row + AT_ONCE]).cpu() for row in rows])


def _part(video: torch.Tensor, scenes: Scenes) -> torch.Tensor:
    scenes = scenes.to(video.device)
    twins = render(scenes, video.shape[2], video.shape[-1])
    columns = [_fit(video, scenes, which) / _fit(twins, scenes, which) for which in (0, 1)]
    columns[1] = torch.where(scenes.pair, columns[1], torch.nan)
    return torch.stack(columns, 1)


def _fit(video: torch.Tensor, scenes: Scenes, which: int) -> torch.Tensor:
    """How well an object's own outline fits; in a mirror the second one is the left one."""
    mask = first_object(*vivid(video.flip(-1) if which else video), scenes.pair)[1]
    found, fits = outline(mask, scenes.pair)
    own = fits.gather(1, scenes.shape[:, which : which + 1]).squeeze(1)
    return torch.where(found == NONE, torch.nan, own)
