"""The VAE against the published code, and its memory settings."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.opensora.common import seeded, table, tensors, tiny_temporal_vae, tiny_vae, worst

from navicache_opensora import AutoencoderOpenSora
from navicache_opensora.sizes import compute_latent_size

VAE = tiny_vae()


@pytest.mark.parametrize("frames", [1, 4, 7, 16, 17])
def test_temporal_half(frames: int) -> None:
    vae = tiny_temporal_vae()
    prefix = f"T{frames}."
    case = {key.removeprefix(prefix): value for key, value in tensors("vae_temporal_cases").items() if prefix in key}
    posterior = vae.encode(case["in.x"])
    found = {
        "moments": posterior.parameters,
        "mean": posterior.mean,
        "logvar": posterior.logvar,
        "decoded": vae.decode(posterior.mode(), frames),
        "decoded_z": vae.decode(case["in.z"], frames),
    }
    for name, value in found.items():
        assert worst(value, case[name]) < 1e-5, name


def test_temporal_half_inside() -> None:
    vae, seen, prefix = tiny_temporal_vae(), {}, "T7.mid."
    case = {key.removeprefix(prefix): v for key, v in tensors("vae_temporal_cases").items() if key.startswith(prefix)}
    for name in case:
        vae.get_submodule(name).register_forward_hook(lambda _m, _a, output, name=name: seen.update({name: output}))
    vae.decode(vae.encode(tensors("vae_temporal_cases")["T7.in.x"]).mode(), 7)
    for name, value in case.items():
        assert worst(seen[name], value) < 1e-5 * max(1.0, value.abs().max().item() / 4), name


@pytest.mark.parametrize("frames", [1, 17, 24, 34, 51])
def test_decode(frames: int) -> None:
    cases = tensors("vae_full_cases")
    assert worst(VAE.decode(cases[f"F{frames}.in.z"], frames).sample, cases[f"F{frames}.video"]) < 2e-5


@pytest.mark.parametrize("frames", [1, 24, 34])
def test_encode(frames: int) -> None:
    cases = tensors("vae_full_cases")
    found = VAE.encode(cases[f"enc_mode_F{frames}.in.video"], sample_posterior=False)
    assert worst(found, cases[f"enc_mode_F{frames}.z"]) < 2e-5


def test_the_full_model_has_the_published_keys() -> None:
    with torch.device("meta"):
        model = AutoencoderOpenSora()
    assert {key: list(value.shape) for key, value in model.state_dict().items()} == table("full_vae_v1_2_keys")


def test_constants_in_bfloat16() -> None:
    vae = tiny_vae().to(torch.bfloat16)
    assert vae.scale.flatten().tolist() == [3.84375, 2.3125, 2.328125, 3.0625]
    assert vae.shift.flatten().tolist() == [-0.10009765625, 0.33984375, 0.26953125, 0.98046875]
    assert vae.decode(torch.zeros(1, 4, 1, 1, 1, dtype=torch.bfloat16), 1).sample.dtype == torch.bfloat16


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 40))
def test_there_and_back_keeps_the_length(frames: int) -> None:
    video = torch.zeros(1, 3, frames, 8, 16)
    latents = VAE.encode(video, sample_posterior=False)
    assert tuple(latents.shape[2:]) == compute_latent_size(frames, 8, 16)
    assert VAE.decode(latents, frames).sample.shape == video.shape


def test_micro_batches_change_nothing_and_seeds_count() -> None:
    vae, video = tiny_vae(), torch.rand(2, 3, 5, 16, 16, generator=seeded())
    latents = vae.encode(video, generator=seeded(1))
    assert torch.equal(latents, vae.encode(video, generator=seeded(1)))
    assert not torch.equal(latents, vae.encode(video, generator=seeded(2)))
    whole = vae.decode(latents, 5).sample
    vae.enable_slicing()
    assert worst(vae.decode(latents, 5).sample, whole) < 1e-5
    vae.disable_slicing()
    assert vae.micro_batch_size == 4


def test_tiling_reaches_the_spatial_half() -> None:
    vae = tiny_vae()
    vae.enable_tiling()
    assert vae.spatial_vae.module.use_tiling
    vae.disable_tiling()
    assert not vae.spatial_vae.module.use_tiling


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="51 frames have 15 latent frames, and z has 5"):
        VAE.decode(torch.zeros(1, 4, 5, 2, 2), 51)
    with pytest.raises(TypeError, match=r"z is torch.bfloat16 and the VAE torch.float32: pass z.to\(vae.dtype\)"):
        VAE.decode(torch.zeros(1, 4, 5, 2, 2, dtype=torch.bfloat16), 17)
    with pytest.raises(TypeError, match=r"x is torch.uint8"):
        VAE.encode(torch.zeros(1, 3, 1, 8, 8, dtype=torch.uint8))


def test_other_than_four_latent_channels_are_saved_and_opened(tmp_path) -> None:
    config = table("vae_full_tiny_config")
    wider = {**config, "vae_temporal": {**config["vae_temporal"], "embed_dim": 6}}
    for name in ("shift", "scale"):
        wider.pop(name, None)
    vae = AutoencoderOpenSora(**wider)
    assert (vae.shift.flatten().tolist(), vae.scale.flatten().tolist()) == ([0.0] * 6, [1.0] * 6)
    vae.scale.fill_(2.5)
    vae.save_pretrained(tmp_path)
    again = AutoencoderOpenSora.from_pretrained(tmp_path)
    assert again.scale.flatten().tolist() == [2.5] * 6
    assert again.encode(torch.zeros(1, 3, 17, 16, 16)).shape == (1, 6, 5, 2, 2)
    with pytest.raises(ValueError, match="one number for each of 6 latent channels, got 2"):
        AutoencoderOpenSora(**wider, shift=(0.0, 1.0))
