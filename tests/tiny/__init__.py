"""Tiny, randomly initialised, real diffusers pipelines, built offline: what the tests run the library on."""

from __future__ import annotations

from .cogvideox import COGVIDEOX
from .common import NEGATIVE, Tiny, flow_scheduler
from .flux import FLUX
from .hunyuan import HUNYUAN
from .ltx import LTX
from .mochi import MOCHI
from .wan import WAN, WAN22, WAN_I2V
from .zimage import ZIMAGE

TINY: dict[str, Tiny] = {
    case.name: case for case in (WAN, WAN_I2V, WAN22, HUNYUAN, LTX, COGVIDEOX, MOCHI, FLUX, ZIMAGE)
}

__all__ = ["NEGATIVE", "TINY", "Tiny", "flow_scheduler"]
