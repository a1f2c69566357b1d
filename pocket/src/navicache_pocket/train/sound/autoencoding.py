"""The stages of the two autoencoders and of the vocoder."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from navicache_pocket.train.cuda_graph import StepFigures
from navicache_pocket.train.family.autoencoding import DIVERGENCE_WEIGHT, MOMENT_WEIGHT, autocast_on_gpu
from navicache_pocket.train.family.diffusers_vae import measure_divergence
from navicache_pocket.train.sound.bands import measure_bands
from navicache_pocket.train.sound.sizes import SoundSizes
from navicache_pocket.world import Scenes
from navicache_pocket.world.sounds import render_sounds

BATCH_SIZE = 256
SPECTRUM_WINDOWS = (64, 256, 1024)  # samples: short ones see when, long ones see which partial
SPECTRUM_WEIGHT = 0.3


class SoundPool:
    """Waveforms that are rendered once and kept on the device in half precision."""

    def __init__(self, scenes: Scenes, sizes: SoundSizes, device: str) -> None:
        """Render all scenes."""
        parts = (scenes[start : start + BATCH_SIZE].to(device) for start in range(0, len(scenes), BATCH_SIZE))
        self.sounds = torch.cat([render_sounds(part, sizes.hops, sizes.moving_hops).half() for part in parts])

    def sample_batch(self, count: int) -> Tensor:
        """Random waveforms (count, 2, samples)."""
        rows = torch.randint(0, len(self.sounds), (count,), device=self.sounds.device)
        return self.sounds[rows].float()


def make_audio_loss(vae: Any, pool: SoundPool, batch: int) -> Callable[[], StepFigures]:
    """A function that computes the reconstruction loss of the bands of a random batch."""

    def compute_loss() -> StepFigures:
        bands = measure_bands(pool.sample_batch(batch))
        with autocast_on_gpu(bands):
            posterior = vae.encode(bands).latent_dist
            latents = posterior.sample()
            restored = vae.decode(latents).sample
        error, divergence = restored.float() - bands, measure_divergence(posterior)
        square = error.square().mean()
        loss = error.abs().mean() + 2 * square + DIVERGENCE_WEIGHT * divergence
        loss = loss + MOMENT_WEIGHT * latents.float().std((0, 2)).log().square().mean()
        return {"loss": loss, "snr": 10 * torch.log10(bands.square().mean() / square), "divergence": divergence}

    return compute_loss


def make_vocoder_loss(vocoder: Any, vae: Any, pool: SoundPool, batch: int) -> Callable[[], StepFigures]:
    """A function that computes how far the waveform of restored bands is from the true one."""

    def compute_loss() -> StepFigures:
        sounds = pool.sample_batch(batch)
        with autocast_on_gpu(sounds):
            with torch.no_grad():
                bands = vae.decode(vae.encode(measure_bands(sounds)).latent_dist.sample()).sample
            made = vocoder(bands)
        made = made.float()
        waveform = (made - sounds).abs().mean() / sounds.abs().mean()
        spectrum = torch.stack([compare_spectra(made, sounds, window) for window in SPECTRUM_WINDOWS]).mean()
        snr = -10 * torch.log10((made - sounds).square().sum() / sounds.square().sum())
        return {"loss": waveform + SPECTRUM_WEIGHT * spectrum, "snr": snr, "spectrum": spectrum}

    return compute_loss


def compare_spectra(made: Tensor, sounds: Tensor, window: int) -> Tensor:
    """Distance of the magnitudes, relative to those of the true sound.

    Example:
        >>> tone = torch.sin(torch.arange(512.0)).view(1, 1, -1)
        >>> round(compare_spectra(0.5 * tone, tone, 64).item(), 3)
        0.5
    """
    options = {"hop_length": window // 4, "window": torch.hann_window(window, device=made.device)}
    first, second = (torch.stft(own.flatten(0, 1), window, **options, return_complex=True) for own in (made, sounds))
    distance = first.abs() - second.abs()
    return distance.square().sum().sqrt() / second.abs().square().sum().sqrt()


def restore_sounds(vae: Any, vocoder: Any, sounds: Tensor) -> Tensor:
    """What is left of waveforms after the audio autoencoder, at its posterior's mode, and the vocoder."""
    latents = vae.encode(measure_bands(sounds)).latent_dist.mode()
    return vocoder(vae.decode(latents).sample)
