"""What single classes of sound need beyond their templates."""

from __future__ import annotations

from typing import Any

from tests.tiny.zoo.case import drawn

from benchmarks.survey.generic import Recipe
from benchmarks.survey.templates.sound_unets import GREY, HEARD, listening, speaking, vocoder


def spectrogram(text_encoder: Any) -> Recipe:
    """A U-Net on spectrograms, with an embedding where others have tokens."""
    heard = {f"{which}prompt_embeds": lambda which=which: drawn(f"{which}prompt", (8,)) for which in ("", "negative_")}
    return Recipe(
        "StableDiffusionPipeline",
        models={"unet": ("UNet2DConditionModel", HEARD), "vae": GREY},
        parts={"vocoder": vocoder, "text_encoder": text_encoder},
        media=heard,
        call={"audio_length_in_s": 1.0},
    )


SOUND: dict[str, Recipe] = {
    "StableAudio3InpaintPipeline": Recipe(call={"mask_start_seconds": 0.5, "mask_end_seconds": 1.0}, without=("mask",)),
    "DanceDiffusionPipeline": Recipe(call={"audio_length_in_s": 2.0}),
    "AudioLDMPipeline": spectrogram(speaking),
    "MusicLDMPipeline": spectrogram(listening),
}
