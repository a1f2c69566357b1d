"""Members in miniature, packed and opened again, with what their denoisers were called with."""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from navicache.pocket.members import find_member
from navicache_pocket.train.family.contact_sheet import open_pipeline

DEVIATION = 1.25


@dataclass(frozen=True)
class Packed:
    """The opened pipeline, and the parts it was packed from, rounded as they were stored."""

    recipe: Any
    pipe: Any
    vae: Any
    model: Any
    folder: Any

    @property
    def denoiser(self) -> Any:
        return self.pipe.components.get("transformer") or self.pipe.unet

    def call(self, **more: Any) -> Any:
        pictures = self.recipe.video_format
        length = {} if pictures.frames == 1 else {"num_frames": pictures.frames}
        size = {"height": pictures.size, "width": pictures.size}
        generator = torch.Generator().manual_seed(0)
        usual = {"num_inference_steps": 3, "output_type": "np", "return_dict": False, "generator": generator}
        return self.pipe(**{**usual, **length, **size, **more})[0]


def pack(recipe, folder) -> Packed:
    torch.manual_seed(0)
    vae, model = recipe.make_autoencoder().eval(), recipe.make_denoiser().eval()
    recipe.set_latent_deviation(vae, DEVIATION)
    recipe.save_pipeline(vae, model, folder)
    pipe = open_pipeline(find_member(recipe.name), folder)
    pipe.set_progress_bar_config(disable=True)
    # fresh parts with the rounded weights: tables that are not weights are not rounded when a folder is opened
    again = recipe.make_denoiser().eval()
    again.load_state_dict(model.state_dict())
    return Packed(recipe, pipe, vae.float(), again, folder)


@contextmanager
def watched(packed):
    """All calls of the denoiser: (positional and named arguments by name, output)."""
    calls: list[tuple[dict[str, Any], torch.Tensor]] = []
    names = ("sample", "timestep")  # StableDiffusionPipeline's two positional ones

    def note(_module, given, named, output):
        calls.append(({**dict(zip(names, given, strict=False)), **named}, output[0]))

    handle = packed.denoiser.register_forward_hook(note, with_kwargs=True)
    try:
        yield calls
    finally:
        handle.remove()
