"""The look at a latent is what the pipeline itself makes of it in the end."""

from typing import ClassVar

import pytest
import torch
from diffusers import AutoencoderKL
from tests.studio.toys import job_of

import navicache.pocket
from navicache.evaluation import psnr
from navicache.generation.loading import load_pipeline
from navicache.generation.timed_calls import call_timed
from navicache.pocket import MEMBERS
from navicache.pocket.members import checkpoint_path
from navicache.studio.monitor import HOOK
from navicache.studio.preview import decode_preview

ALIKE = 30  # decibels: a VAE that looks at neighbours sees none of them in a single frame


def test_packed_latents_show_nothing():
    class Pipe:
        components: ClassVar = {"vae": AutoencoderKL(block_out_channels=(32,))}

    assert decode_preview(Pipe(), torch.zeros(1, 4, 8, 8)) is not None
    assert decode_preview(Pipe(), torch.zeros(1, 16, 16)) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in MEMBERS if name != "sound"])  # LTX-2 packs its latents
def test_the_last_latent_shows_the_first_frame(name, monkeypatch):
    monkeypatch.setattr(navicache.pocket, "checkpoint_path", checkpoint_path)
    own = {"frames": None, "height": None, "width": None}
    job = job_of(model=f"pocket:{name}", prompt="a large red ball moving right", steps=6, **own)
    pipe, seen = load_pipeline(job.source), []

    def look(pipe, step, timestep, tensors):
        seen.append(decode_preview(pipe, tensors["latents"]))
        return {}

    made = call_timed(pipe, job, job.prompts[0], "", {HOOK: look}, shown=False).media
    assert len(seen) == 6 and seen[-1].shape == made.frames[0].shape
    first, last = (picture[None].repeat(2, axis=0) for picture in (made.frames[0], seen[-1]))
    assert psnr(first, last) > ALIKE
