"""What the members of this package share: the form of a recipe, and the autoencoder of another member."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from navicache.pocket.members import Member
from navicache_pocket.train import tokenizer as words
from navicache_pocket.train.family.recipe import ModelConfig
from navicache_pocket.train.pipeline_folder import save_pipeline
from navicache_pocket.train.wild.pipeline import MAX_SHARD
from navicache_pocket.world import list_vocabulary
from navicache_pocket.world.wild import list_wild_captions

MEMBERS_FOLDER = Path(__file__).parents[2]
TEXT_LENGTH = 32  # tokens, to which the pipelines pad captions
SHIFT = 3.0  # of the sampler
EXAMPLE = "a star and a ring"  # all that a caption tells of six objects
T5: ModelConfig = {
    "d_model": 64,
    "d_kv": 32,
    "d_ff": 128,
    "num_layers": 2,
    "num_heads": 2,
    "feed_forward_proj": "gated-gelu",
    "dropout_rate": 0.0,
}


class HardDenoiser(Protocol):
    """The trained parts, called with packed latents (batch, tokens, channels)."""

    transformer: Any

    def __call__(self, noisy: torch.Tensor, timestep: torch.Tensor, captions: torch.Tensor) -> torch.Tensor:
        """The velocity; `captions` are rows of `tokenize_all_captions`, `timestep` runs from 0 to 1000."""
        ...


class HardRecipe(Protocol):
    """What a member needs to be trained."""

    @property
    def member(self) -> Member:
        """Its name, and how its pipeline is called; `navicache.pocket.MEMBERS` has it once its weights are shipped."""
        ...

    @property
    def frames(self) -> int:
        """Of a rendered clip."""
        ...

    @property
    def size(self) -> int:
        """Of a picture, in pixels."""
        ...

    def open_encoder(self, device: str) -> Callable[[torch.Tensor], torch.Tensor]:
        """A function from clips (clips, 3, frames, size, size) to latents, packed and scaled as the pipeline has them.

        It may give several rows for each clip.
        """
        ...

    def make_denoiser(self) -> Any:
        """A `HardDenoiser` module with random weights."""
        ...

    def get_time_embedder(self, denoiser: Any) -> Any:
        """The layers that read the timestep's waves."""
        ...

    def save_pipeline(self, denoiser: Any, folder: Path) -> None:
        """Write the folder that the pipeline class opens."""
        ...


def tokenize_all_captions() -> torch.Tensor:
    """Token ids of every caption of `list_wild_captions`, and at last of the empty one.

    Example:
        >>> tuple(tokenize_all_captions().shape)
        (43, 32)
    """
    tokenizer = words.build_tokenizer(list_vocabulary(), TEXT_LENGTH)
    return words.encode_captions(tokenizer, [*list_wild_captions(), ""], TEXT_LENGTH)


def save_with_autoencoder(pipe: Any, folder: Path, source: str, **changes: Any) -> None:
    """Write a pipeline with the autoencoder of the member `source`: its very file, so that it is stored only once.

    `changes` are those of the autoencoder's configuration.
    """
    save_pipeline(pipe, folder, MAX_SHARD)
    shutil.rmtree(folder / "vae")
    shutil.copytree(MEMBERS_FOLDER / source / "vae", folder / "vae")
    file = folder / "vae" / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes, indent=2) + "\n")


def start_at_zero(*layers: nn.Linear) -> None:
    """Set these layers to zero, so that at first what they write changes nothing."""
    for layer in layers:
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
