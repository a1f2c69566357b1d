"""The training of `sound` in miniature: a folder that LTX2Pipeline opens, and what it was trained with."""

import json
import math
import time
import wave

import pytest
import torch
from diffusers import LTX2Pipeline
from PIL import Image

from navicache_pocket.train import __main__ as command
from navicache_pocket.train.pipeline_folder import count_parameters
from navicache_pocket.train.sound import denoising, parts
from navicache_pocket.train.sound.autoencoding import compare_spectra
from navicache_pocket.train.sound.command import SMALL_SIZES, parse_plan
from navicache_pocket.train.sound.denoising import SoundDenoiser, encode_scenes, make_denoising_loss, tokenize
from navicache_pocket.train.sound.sizes import SoundSizes
from navicache_pocket.train.sound.stages import RESERVE, SoundPlan, _save_checkpoint, compile_blocks
from navicache_pocket.world import draw_scenes

PROMPT = "a large red ball moving right in front of green hills"
SECONDS = [
    option for name in ("autoencoder", "audio", "vocoder", "denoiser") for option in (f"--{name}-seconds", "0.1")
]


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """Fresh parts, and the pipeline they were packed into."""
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("sound") / "checkpoint"
    model = SoundDenoiser(SMALL_SIZES).eval()
    vae, audio_vae = parts.make_video_autoencoder(SMALL_SIZES), parts.make_audio_autoencoder(SMALL_SIZES)
    latents = encode_scenes(vae, audio_vae, draw_scenes(4, seed=0), SMALL_SIZES, "cpu")
    latents.store_moments(vae, audio_vae)
    codecs = {"vae": vae, "audio_vae": audio_vae, "vocoder": parts.make_vocoder(SMALL_SIZES)}
    _save_checkpoint(folder, model, codecs)
    pipe = LTX2Pipeline.from_pretrained(folder)
    pipe.set_progress_bar_config(disable=True)
    return pipe, model, latents


def test_the_pipeline_calls_what_was_trained(packed):
    """The transformer gets from the pipeline what the training's forward gives it, for both branches of guidance."""
    pipe, model, _ = packed
    calls = []
    handle = pipe.transformer.register_forward_hook(
        lambda _module, _given, named, output: calls.append((named, output)), with_kwargs=True
    )
    pipe(PROMPT, generator=torch.Generator().manual_seed(0), output_type="latent", **SMALL_SIZES.member.call)
    handle.remove()
    assert len(calls) == SMALL_SIZES.steps
    model.float()
    ids = tokenize([PROMPT]).expand(2, -1)
    for named, output in calls[:2]:
        dropped = torch.tensor([True, False])
        with torch.no_grad():
            found = model(
                named["hidden_states"], named["audio_hidden_states"], named["timestep"].expand(2), ids, dropped
            )
        for ours, theirs in zip(found, output, strict=True):
            assert torch.allclose(ours, theirs, atol=1e-4)


def test_it_makes_video_and_sound_of_the_length_it_was_trained_for(packed):
    pipe, _, latents = packed
    video, sound = pipe(PROMPT, output_type="np", return_dict=False, **SMALL_SIZES.member.call)
    assert video.shape == (1, 5, 32, 32, 3)
    assert sound.shape == (1, 2, SMALL_SIZES.hops * 64)
    assert latents.audio.shape[1:] == (SMALL_SIZES.audio_latents, SMALL_SIZES.packed_audio_channels)
    for own in (latents.video, latents.audio):
        assert own.float().mean((0, 1)).abs().max() < 0.02
        assert (own.float().std((0, 1)) - 1).abs().max() < 0.02


def test_it_is_small_and_its_text_is_read():
    sizes = SoundSizes()
    with torch.device("meta"):
        makers = (parts.make_video_autoencoder, parts.make_audio_autoencoder, parts.make_vocoder)
        others = {make.__name__: make(sizes) for make in (*makers, parts.make_connectors, parts.make_transformer)}
        text = count_parameters({"text": parts.make_text_encoder(sizes)})["text"]
    assert 2 * sum(count_parameters(others).values()) + 4 * text < 23e6, "bytes: text encoders are stored in float32"
    first, second = tokenize([PROMPT, ""])
    assert first[-1] != 0 and (second != 0).sum() == 1, "padded on the left; no prompt is a mark"


def test_parts_of_the_real_sizes_fit_each_other():
    sizes = SoundSizes()
    vae, audio_vae = parts.make_video_autoencoder(sizes), parts.make_audio_autoencoder(sizes)
    latents = encode_scenes(vae, audio_vae, draw_scenes(2, seed=0), sizes, "cpu")
    figures = make_denoising_loss(SoundDenoiser(sizes), latents, batch=2)()
    assert all(value.isfinite() for value in figures.values()) and {"video", "audio"} <= figures.keys()
    assert vae.decode(vae.encode(torch.zeros(1, 3, 9, 64, 64)).latent_dist.mode()).sample.shape == (1, 3, 9, 64, 64)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Mismatch dtype between input and weight")  # a norm on a CPU, under autocast
def test_all_blocks_are_compiled_at_once(packed, monkeypatch):
    """Under autocast, as on a GPU: as many compilations as one block needs."""
    monkeypatch.setattr(denoising, "autocast_on_gpu", lambda _: torch.autocast("cpu", dtype=torch.bfloat16))
    compiled = []

    def count(graph, _inputs):
        compiled.append(graph)
        return graph.forward

    model = SoundDenoiser(SMALL_SIZES)
    loss = make_denoising_loss(model, packed[2], batch=2)
    compile_blocks(model.transformer, backend=count)
    with torch.no_grad():
        loss()
    assert len(compiled) == 1


def test_spectra_do_not_see_phase_and_do_see_level():
    tone = torch.sin(torch.arange(4096) * 2 * math.pi / 16).view(1, 1, -1)
    assert compare_spectra(-tone, tone, 256) < 1e-6
    assert compare_spectra(0.5 * tone, tone, 256).item() == pytest.approx(0.5)


def test_the_denoiser_has_less_time_if_the_deadline_asks_for_it(tmp_path):
    def seconds(left: float) -> float:
        plan = SoundPlan(tmp_path, "cpu", denoiser_seconds=100.0, deadline=time.monotonic() + left)
        return plan.fit_denoiser().denoiser_seconds

    assert seconds(1000) == 100
    assert seconds(80 + RESERVE) == pytest.approx(80, abs=1)
    assert seconds(10) == 50, "another attempt takes the rest"


def test_options(capsys):
    plan = parse_plan(["--device", "cpu", "--small", "--batch", "3"])
    assert (plan.batch, plan.clips, plan.sizes) == (3, 64, SMALL_SIZES)
    assert parse_plan(["--device", "cpu"]).sizes == SoundSizes()
    with pytest.raises(SystemExit, match="2"):
        parse_plan(["--device", "cpu", "--clips", "none"])
    assert "must be a whole number above zero" in capsys.readouterr().err


@pytest.mark.slow
def test_one_command_stops_in_time_and_the_next_one_ends_it(monkeypatch, tmp_path, capsys):
    own = ["train", "--member", "sound", "--device", "cpu", "--small", "--out", str(tmp_path), *SECONDS]
    few = ["--clips", "4", "--videos", "4", "--autoencoder-batch", "2", "--audio-batch", "2", "--batch", "2"]
    monkeypatch.setattr("sys.argv", [*own, *few, "--vocoder-seconds", "1000", "--stop-after", "0.01"])
    command.main()
    assert "stopped in its stage" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", [*own, *few])
    command.main()
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert {*figures["stages"]} == {"autoencoder", "audio", "vocoder", "denoiser"}
    assert all(math.isfinite(stage["loss"]) for stage in figures["stages"].values())
    assert {"psnr", "objects"} <= figures["video"].keys() and {"snr", "vocoder_snr"} <= figures["audio"].keys()
    with Image.open(tmp_path / "sheet.png") as picture, wave.open(str(tmp_path / "sounds.wav")) as sounds:
        assert picture.height > 2 * 32 and sounds.getnframes() > 4 * SMALL_SIZES.hops * 64
