"""The packaged checkpoint: what it is, and that it still does what docs/pocket.md says of it."""

import pytest
import torch
from diffusers import WanPipeline
from safetensors import safe_open

from navicache.pocket import FRAMES, PROMPTS, SIZE, checkpoint_path, find_unknown_words
from navicache_pocket.reader import fit_background_classifier, read_videos
from navicache_pocket.train.autoencoder import measure_reconstruction
from navicache_pocket.world import draw_scenes, list_vocabulary, mask_objects, render_videos, write_captions


@pytest.fixture(scope="module")
def pipe():
    pipe = WanPipeline.from_pretrained(checkpoint_path())
    pipe.set_progress_bar_config(disable=True)
    return pipe


def test_it_is_small_and_stored_in_half_precision():
    files = [path for path in checkpoint_path().rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 60e6
    for part in ("transformer", "vae"):
        with safe_open(checkpoint_path() / part / "diffusion_pytorch_model.safetensors", "pt") as weights:
            assert {weights.get_slice(name).get_dtype() for name in weights.keys()} == {"F16"}  # noqa: SIM118


def test_every_part_is_loaded_in_one_dtype(pipe):
    assert {part.dtype for part in (pipe.transformer, pipe.vae, pipe.text_encoder)} == {torch.float32}


def test_asked_for_another_dtype_every_part_follows():
    pipe = WanPipeline.from_pretrained(checkpoint_path(), dtype=torch.bfloat16)
    assert {part.dtype for part in (pipe.transformer, pipe.vae, pipe.text_encoder)} == {torch.bfloat16}


def test_it_compresses_as_wan_does(pipe):
    assert (pipe.vae_scale_factor_temporal, pipe.vae_scale_factor_spatial, pipe.vae.config.z_dim) == (4, 8, 16)
    assert 15e6 < sum(weights.numel() for weights in pipe.transformer.parameters()) < 20e6


def test_the_tokenizer_knows_the_grammar_and_the_prompts(pipe):
    assert set(list_vocabulary()) <= set(pipe.tokenizer.get_vocab())
    assert not [word for prompt in PROMPTS for word in find_unknown_words(prompt)]


@torch.no_grad()
@pytest.mark.slow
def test_the_autoencoder_restores_videos_it_never_saw(pipe):
    scenes = draw_scenes(4, seed=4_242_424)
    whole, objects = measure_reconstruction(pipe.vae, render_videos(scenes), mask_objects(scenes))
    assert whole.mean() > 32
    assert 20 < objects.mean() < whole.mean()  # backgrounds are easier


@torch.no_grad()
@pytest.mark.slow
@pytest.mark.parametrize(("split", "length"), [("seen", 512), ("unseen", 32)])
def test_the_generator_obeys_captions(pipe, split, length):
    scenes = draw_scenes(3, seed=77, split=split)
    video = pipe(
        write_captions(scenes),
        height=SIZE,
        width=SIZE,
        num_frames=FRAMES,
        num_inference_steps=20,
        generator=torch.Generator().manual_seed(1),
        max_sequence_length=length,
        output_type="pt",
    ).frames
    reading = read_videos(video.transpose(1, 2) * 2 - 1, scenes.has_pair, fit_background_classifier())
    assert reading.background.tolist() == scenes.background.tolist()
    assert reading.colour.tolist() == scenes.colour[:, 0].tolist()
