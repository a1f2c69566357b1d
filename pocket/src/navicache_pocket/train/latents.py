"""Between the stages: what the world looks like through the trained autoencoder."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import torch
from tqdm import trange

from navicache.records import open_atomic_file
from navicache_pocket.train import tokenizer as tokens
from navicache_pocket.world import Scenes, list_vocabulary, render_videos, write_captions
from navicache_pocket.world.captions import MAX_CAPTION_TOKENS

BATCH_SIZE = 128


@dataclass(frozen=True)
class LatentDataset:
    """Latents normalised to zero mean and unit deviation per channel, and the captions' tokens."""

    values: torch.Tensor
    ids: torch.Tensor
    mean: torch.Tensor
    std: torch.Tensor

    def save(self, path: Path) -> None:
        """Keep them, since encoding takes minutes."""
        with open_atomic_file(path) as file:
            torch.save(asdict(self), file)

    @classmethod
    def load(cls, path: Path, device: str) -> Self:
        """Read what `save` wrote."""
        return cls(**torch.load(path, map_location=device, weights_only=True))


@torch.no_grad()
def encode_wan_latents(model: Any, scenes: Scenes, device: str, frames: int, size: int) -> LatentDataset:
    """Render these scenes and encode the videos."""
    render_fast = torch.compile(render_videos) if device == "cuda" else render_videos
    parts: list[torch.Tensor] = []
    for start in trange(0, len(scenes), BATCH_SIZE, desc="encoding", unit="batch", mininterval=10):
        part = scenes[start : start + BATCH_SIZE].to(device)
        video = (render_fast if len(part) == BATCH_SIZE else render_videos)(
            part, frames, size
        )  # not compiled again for the last few
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            posterior = model.encode(video.contiguous(memory_format=torch.channels_last_3d)).latent_dist
        parts.append(posterior.sample().to(torch.bfloat16))
    values = torch.cat(parts)
    mean, std = values.float().mean((0, 2, 3, 4)), values.float().std((0, 2, 3, 4))
    columns = (1, -1, 1, 1, 1)
    values = ((values - mean.view(columns)) / std.view(columns)).to(torch.bfloat16)
    ids = tokens.encode_captions(tokens.build_tokenizer(list_vocabulary()), write_captions(scenes), MAX_CAPTION_TOKENS)
    return LatentDataset(values, ids.to(device), mean, std)
