"""Synthetic runs: (x, y) arrays whose change ratio moves as it does on real models."""

from collections.abc import Callable
from typing import Any

import numpy as np

Video = list[tuple[Any, Any]]

# Official repository, docs/assets/merged_stats_diff.csv, experiment subject_consistency prompt 00, steps 1 to 29.
PUBLIC_INPUT = (
    "0.3973089159 0.1038883999 0.0794156492 0.0598831773 0.0632802024 0.0560389422 0.0584373213 0.0472819135 "
    "0.0856295079 0.0449128449 0.050797265 0.0478680767 0.0539037175 0.0472859144 0.0528944582 0.0506104119 "
    "0.0600932762 0.065285854 0.0580828749 0.0711809322 0.0671812892 0.0722742006 0.0995402709 0.1025526375 "
    "0.1245614886 0.145694539 0.198804751 0.2465351224 0.3554533422"
)
PUBLIC_OUTPUT = (
    "0.7465339303 0.3085092306 0.1904211193 0.1270166337 0.110681206 0.1138660237 0.0838896856 0.0777225047 "
    "0.1210419387 0.0796626955 0.0524236113 0.0688784495 0.0474564992 0.0627444685 0.0492547005 0.063929081 "
    "0.0367296822 0.0410635881 0.056158334 0.0494445935 0.0419748351 0.0632077456 0.0462118872 0.047244899 "
    "0.0546590798 0.0614619367 0.0997735858 0.1208989173 0.2544613183"
)


def ratio_curve(steps: int) -> Any:
    """4.5 at first, 0.8 in the middle, 2.4 at the end."""
    return np.interp(np.linspace(0, 1, steps), [0.0, 0.25, 0.7, 1.0], [4.5, 1.2, 0.8, 2.4])


def smooth(seed: int, steps: int = 50, noise: float = 0.15, speed: float = 0.02, channels: int = 4) -> Video:
    """A latent that moves along a slowly turning direction, its output by the ratio curve times as much."""
    rng = np.random.default_rng(seed)
    shape = (channels, 6)
    x, y = rng.normal(size=shape), rng.normal(size=shape)
    first, second, signs = rng.normal(size=shape), rng.normal(size=shape), rng.choice([-1.0, 1.0], size=shape)
    video = [(x, y)]
    for i, ratio in enumerate(ratio_curve(steps)[1:]):
        turn = 1.5 * i / steps
        dx = speed * (np.cos(turn) * first + np.sin(turn) * second + noise * rng.normal(size=shape))
        dy = signs * ratio * (dx + speed * noise * rng.normal(size=shape))
        x, y = x + dx, y + dy
        video.append((x, y))
    return video


def public_trace() -> Video:
    """The one published trace as scalars: |change| / |value before| is as printed, signs alternate slowly."""
    x, y = np.array([[1.0]]), np.array([[1.0]])
    video = [(x, y)]
    for i, (a, b) in enumerate(zip(PUBLIC_INPUT.split(), PUBLIC_OUTPUT.split(), strict=True)):
        x = x * (1 + (-1.0 if i // 5 % 2 else 1.0) * float(a))
        y = y * (1 + (-1.0 if i // 4 % 2 else 1.0) * float(b))
        video.append((x, y))
    return video


def paired(video: Video) -> Video:
    """For scripts that call twice a step: the conditional output and another, unconditional one."""
    return [(x, np.stack([y, 0.5 * y - 0.1 * x])) for x, y in video]


def batched(video: Video) -> Video:
    """For scripts with both guidance halves in one call."""
    return [(np.stack([x, x]), np.stack([y, 0.5 * y - 0.1 * x])) for x, y in video]


def toy_network(seed: int, steps: int) -> Callable[[int, Any], Any]:
    """A velocity field that changes with time, for runs in which a reuse has consequences."""
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(4, 4)) / 2
    bends = 2.0 * ratio_curve(steps)
    return lambda i, x: np.tanh(mix @ x * bends[i]) + 0.5 * np.roll(x, 1, axis=-1)


def euler(seed: int, steps: int) -> Callable[[int, Any], Any]:
    """`input_at` for drive_loop: x_i = x_(i-1) + output / steps."""
    x = np.random.default_rng(seed).normal(size=(4, 6))

    def input_at(i: int, output: Any) -> Any:
        nonlocal x
        if i > 0:
            x = x + output / steps
        return x

    return input_at


def harmonic(steps: int = 50) -> Video:
    """As `smooth`, without a random number: for traces that are written down."""
    cells = np.arange(24.0).reshape(4, 6)
    x, y = np.cos(cells), np.sin(1.7 * cells)
    video = [(x, y)]
    for i, ratio in enumerate(ratio_curve(steps)[1:]):
        dx = 0.02 * np.cos(0.9 * cells + 1.5 * i / steps) * (1 + 0.3 * np.sin(2.1 * i))
        x, y = x + dx, y + ratio * np.roll(dx, 1, axis=-1) * (1 + 0.2 * np.cos(3.3 * i))
        video.append((x, y))
    return video
