"""What the audio autoencoder reads: the level in 32 bands, at every hop.

Levels, not their logarithms as in large models: the waveform is linear in them, so the vocoder learns it sooner.
"""

import torch
from torch import Tensor
from torch.nn import functional

from navicache_pocket.world.sounds import HOP

BANDS = HOP // 2
WINDOW = 2 * HOP
SCALE = 8.0  # brings the levels of usual sounds near 1


def measure_bands(sounds: Tensor) -> Tensor:
    """Levels (sounds, channels, hops, bands) of waveforms (sounds, channels, samples): `SCALE` for full scale.

    The bands are the partials of the world. The window's spectrum is zero at the next partial, so they stay apart.

    Example:
        >>> tuple(measure_bands(torch.zeros(2, 1, 640)).shape)
        (2, 1, 10, 32)
    """
    window = torch.hann_window(WINDOW, device=sounds.device)
    framed = functional.pad(sounds, (HOP // 2, HOP // 2)).unfold(-1, WINDOW, HOP)
    spectra = torch.fft.rfft(framed * window)[..., : WINDOW // 2 : 2]
    return SCALE * spectra.abs() / (window.sum() / 2)
