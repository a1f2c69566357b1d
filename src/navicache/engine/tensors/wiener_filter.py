"""The latent as SeaCache looks at it (arXiv:2602.18993): what of it should be signal rather than noise by now."""

import torch
from torch import Tensor

from navicache.engine.errors import CannotCache

EPSILON = 1e-16


def apply_wiener_filter(latent: Tensor, sigma: float | Tensor, exponent: float) -> Tensor:
    """Low-pass every sample over time, height and width by the Wiener gain of its noise level.

    A clean video has a power of |f|^-exponent along each axis; the gain of all three is their product over its mean.
    """
    if latent.ndim < 4:
        raise CannotCache(
            f"the filtered latent needs (batch, channels, ..., height, width), this model's is {tuple(latent.shape)}: "
            "choose a policy that watches something else"
        )
    axes = range(2, latent.ndim)
    level = torch.as_tensor(sigma, dtype=torch.float32, device=latent.device).clamp(1e-6, 1 - 1e-6)
    gain = torch.ones((), device=latent.device)
    for axis in axes:
        power = 1 / (torch.fft.fftfreq(latent.shape[axis], device=latent.device).abs() ** exponent + EPSILON)
        along = (1 - level) * power / ((1 - level) ** 2 * power + level**2 + EPSILON)
        gain = gain * along.view([-1 if other == axis else 1 for other in range(latent.ndim)])
    dims = tuple(axes)
    spectrum = torch.fft.fftn(latent.float(), dim=dims)
    return torch.fft.ifftn(spectrum * (gain / gain.mean()), dim=dims).real.to(latent.dtype)


def resolve_noise_level(known_sigma: float | None, time: Tensor | float | None) -> float | Tensor:
    """Return the known noise level, or a thousandth of the time.

    Example:
        >>> resolve_noise_level(0.25, 900.0), resolve_noise_level(None, None), float(resolve_noise_level(None, 500.0))
        (0.25, 0.5, 0.5)
    """
    if known_sigma is not None or time is None:
        return 0.5 if known_sigma is None else known_sigma
    tensor = time if isinstance(time, Tensor) else Tensor([time])
    return tensor.float().amax() / 1000
