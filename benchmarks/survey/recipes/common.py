"""What several recipes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.tiny.zoo.case import drawn
from tests.tiny.zoo.configs import UNET
from tests.tiny.zoo.parts import image_processor

from benchmarks.survey.text_parts import seeing

LATENT = {"output_type": "latent"}
ARRAY = {"output_type": "np"}
TENSOR = {"output_type": "pt"}
CLIP = {"image_encoder": seeing, "feature_extractor": image_processor}
LISTED = {  # embeddings of the text as a list with one prompt
    f"{which}prompt_embeds": lambda which=which: [drawn(f"{which}prompt_embeds", (12, 16))[0]]
    for which in ("", "negative_")
}
DEEP_VAE: tuple[str, dict[str, Any]] = (
    "AutoencoderDC",
    {
        "latent_channels": 4,
        "attention_head_dim": 2,
        **{f"{half}_block_types": ("ResBlock", "EfficientViTBlock") for half in ("encoder", "decoder")},
        **{f"{half}_block_out_channels": (8, 8) for half in ("encoder", "decoder")},
        **{f"{half}_qkv_multiscales": ((), (5,)) for half in ("encoder", "decoder")},
        **{f"{half}_layers_per_block": (1, 1) for half in ("encoder", "decoder")},
        "downsample_block_type": "conv",
        "upsample_block_type": "interpolate",
    },
)


def unet(config: Mapping[str, Any] = UNET, kind: str = "UNet2DConditionModel", **changes: Any) -> dict[str, Any]:
    """A U-Net with other sizes than its template's."""
    return {"unet": (kind, {**config, **changes})}
