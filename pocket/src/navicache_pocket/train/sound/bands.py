"""What the audio autoencoder reads: the logarithm of the level in 32 bands, at every hop."""

import torch
from torch import Tensor
from torch.nn import functional

from navicache_pocket.world.sounds import HOP

BANDS = HOP // 2
WINDOW = 2 * HOP
FLOOR = 0.01  # of full scale; quieter bands are as loud


def measure_bands(sounds: Tensor) -> Tensor:
    """Log levels (sounds, channels, hops, bands) of waveforms (sounds, channels, samples): -1 at the floor, 1 at 0 dB.

    The bands are the partials of the world. The window's spectrum is zero at the next partial, so they stay apart.

    Example:
        >>> tuple(measure_bands(torch.zeros(2, 1, 640)).shape)
        (2, 1, 10, 32)
    """
    window = torch.hann_window(WINDOW, device=sounds.device)
    framed = functional.pad(sounds, (HOP // 2, HOP // 2)).unfold(-1, WINDOW, HOP)
    spectra = torch.fft.rfft(framed * window)[..., : WINDOW // 2 : 2]
    levels = spectra.abs() / (window.sum() / 2)
    return 1 + levels.clamp(min=FLOOR).log10()
