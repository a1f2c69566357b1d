"""The bare models by name: what they predict, and how large they are."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import nn

from benchmarks.bare.noise import NoiseKind, list_cosine_betas, list_linear_betas, list_scaled_linear_betas
from benchmarks.bare.transformer import PixelTransformer
from benchmarks.bare.unet import PixelUNet

FLOW_TIME_SCALE = 1000.0


@dataclass(frozen=True)
class BareKind:
    """A model to train and to measure."""

    noise: NoiseKind
    size: int  # of the pictures
    build: Callable[[], nn.Module]
    guidance: float
    batch: int = 32
    peak_rate: float = 1e-3


SMALL = partial(PixelTransformer, size=16, patch=2, width=80, depth=3)
KINDS = {
    "noise_dit": BareKind(NoiseKind(list_linear_betas), 16, SMALL, 2.0),
    "noise_dit_scaled": BareKind(NoiseKind(list_scaled_linear_betas), 16, SMALL, 2.0),
    "noise_dit_cosine": BareKind(NoiseKind(list_cosine_betas, clips=True), 16, SMALL, 2.0),
    "velocity_dit_cosine": BareKind(NoiseKind(list_cosine_betas, predicts_velocity=True), 16, SMALL, 2.0),
    "flow_dit": BareKind(NoiseKind(), 16, partial(SMALL, time_scale=FLOW_TIME_SCALE), 5.0),
    "pixel_flow": BareKind(
        NoiseKind(),
        32,
        partial(
            PixelTransformer,
            size=32,
            patch=2,
            width=256,
            depth=8,
            time_scale=FLOW_TIME_SCALE,
            shares_modulation=True,
        ),
        5.0,
        batch=256,
        peak_rate=6e-4,
    ),
    "small_unet": BareKind(NoiseKind(list_linear_betas), 16, partial(PixelUNet, size=16, widths=(32, 64, 64)), 2.0),
    "noise_unet": BareKind(
        NoiseKind(list_linear_betas),
        64,
        partial(PixelUNet, size=64, widths=(64, 128, 160, 224)),
        2.0,
        batch=128,
        peak_rate=6e-4,
    ),
}


def save_model(name: str, weights: dict[str, Any], path: Path) -> None:
    """Write the weights in half precision."""
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"kind": name, "weights": {key: value.half() for key, value in weights.items()}}, path)


def load_model(path: Path, device: str) -> tuple[str, nn.Module]:
    """The kind and the model of a file, in float32."""
    saved = torch.load(path, map_location=device, weights_only=True)
    model = KINDS[saved["kind"]].build()
    model.load_state_dict(saved["weights"])
    return saved["kind"], model.float().to(device).eval().requires_grad_(False)
