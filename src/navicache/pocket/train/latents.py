"""Between the stages: what the world looks like through the trained autoencoder."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import torch
from tqdm import trange

from navicache.pocket.train import tokenizer as tokens
from navicache.pocket.world import Scenes, captions, render, vocabulary
from navicache.pocket.world.captions import LONGEST
from navicache.records import open_atomic_file

CHUNK = 128


@dataclass(frozen=True)
class Latents:
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
def encode_world(model: Any, scenes: Scenes, device: str, frames: int, size: int) -> Latents:
    """Render these scenes and encode the videos."""
    paint = torch.compile(render) if device == "cuda" else render
    parts: list[torch.Tensor] = []
    for start in trange(0, len(scenes), CHUNK, desc="encoding", unit="batch", mininterval=10):
        part = scenes[start : start + CHUNK].to(device)
        video = (paint if len(part) == CHUNK else render)(part, frames, size)  # not compiled again for the last few
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            posterior = model.encode(video.contiguous(memory_format=torch.channels_last_3d)).latent_dist
        parts.append(posterior.sample().to(torch.bfloat16))
    values = torch.cat(parts)
    mean, std = values.float().mean((0, 2, 3, 4)), values.float().std((0, 2, 3, 4))
    columns = (1, -1, 1, 1, 1)
    values = ((values - mean.view(columns)) / std.view(columns)).to(torch.bfloat16)
    ids = tokens.encode(tokens.build(vocabulary()), captions(scenes), LONGEST)
    return Latents(values, ids.to(device), mean, std)
