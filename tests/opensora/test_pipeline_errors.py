"""Bad input is refused before any model runs, with words that help."""

from __future__ import annotations

from typing import Any

import numpy as np
import PIL.Image
import pytest
import torch
from tests.opensora.common import run, seeded, tiny_pipe

PIPE = tiny_pipe()
IMAGE = PIL.Image.new("RGB", (8, 8))


@pytest.fixture(autouse=True)
def nothing_heavy_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a model ran")

    for model in (PIPE.transformer, PIPE.text_encoder):
        monkeypatch.setattr(model, "forward", refuse)
    for name in ("encode", "decode"):
        monkeypatch.setattr(PIPE.vae, name, refuse)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *[({"num_frames": frames}, f"at least 17, got {frames}") for frames in (0, 2, 16)],
        ({"num_frames": "3s"}, "unknown length '3s'"),
        ({"height": None, "width": None, "aspect_ratio": "7:5"}, "unknown aspect ratio"),
        ({"height": None, "width": None, "resolution": "500p"}, "unknown resolution"),
        ({"height": None, "width": None, "resolution": "512", "aspect_ratio": "9:16"}, "has no aspect ratio"),
        ({"height": None}, "both height and width"),
        ({"height": 4}, "8 pixels or more"),
        ({"fps": 0}, "fps must be positive"),
        ({"prompt": " ".join(["cat"] * 12)}, "16 tokens and the model takes 12: shorten"),
        ({"prompt": "a {oops"}, "must be JSON"),
        ({"prompt": 'a cat {"reference_path": "x.png"}'}, "not opened"),
        ({"prompt": None}, "either prompt or prompt_embeds"),
        ({"mask_strategy": "0"}, "names reference 0, and there are 0"),
        ({"mask_strategy": "zero", "references": [IMAGE]}, "cannot read mask strategy"),
        ({"references": [IMAGE, IMAGE]}, "say where the 2 references go"),
        ({"prompt": ["a", "a"], "references": [[IMAGE]]}, "one entry per prompt, 2"),
        ({"references": [IMAGE], "mask_strategy": "0,0,5"}, "starts at latent frame 5, and there are 1"),
        ({"references": [IMAGE], "mask_strategy": "0,0,0,-6"}, "starts at latent frame -1, and there are 5"),
        ({"align": 0}, "align must be 1 or more"),
        ({"num_videos_per_prompt": 0}, "must be 1 or more"),
        ({"output_type": "gif"}, "output_type must be one of"),
        ({"num_inference_steps": 0}, "1 or more"),
        ({"num_loops": 2}, "34, 51, 68"),
        ({"num_loops": 2, "num_frames": 34, "output_type": "latent"}, "joined as frames"),
        ({"generator": [seeded(), seeded()]}, "one for each of the 1 videos, got 2"),
        ({"latents": torch.zeros(1, 4, 5, 5, 9)}, r"latents must be \(1, 4, 5, 5, 8\)"),
        ({"callback_on_step_end_tensor_inputs": ["noise"]}, "callbacks get the latents"),
        ({"prompt": None, "prompt_embeds": torch.zeros(1, 13, 32)}, "up to 12 tokens, 32 channels"),
        (
            {"prompt": None, "prompt_embeds": torch.zeros(1, 6, 32), "prompt_attention_mask": torch.zeros(1, 6)},
            "needs a real token",
        ),
        (
            {"prompt": None, "prompt_embeds": torch.zeros(1, 6, 32), "prompt_attention_mask": torch.ones(1, 5)},
            "must be",
        ),
        ({"references": [np.full((8, 8, 3), 7.0, dtype=np.float32)]}, r"values in \[0, 1\]"),
    ],
)
def test_values(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(PIPE, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompt": 3}, "text or a list of texts"),
        ({"references": IMAGE}, r"references must be a list such as references=\[image\], got Image"),
        ({"references": np.zeros((8, 8, 3))}, "references must be a list"),
        ({"prompt": ["a"], "references": [IMAGE]}, "references must be a list"),
        ({"prompt": []}, "text or a list of texts"),
        ({"latents": torch.zeros(1, 4, 5, 5, 8, dtype=torch.long)}, "latents must hold floats"),
        ({"prompt": None, "prompt_embeds": torch.zeros(1, 6, 32, dtype=torch.long)}, "prompt_embeds must hold floats"),
        ({"references": [np.zeros((8, 8, 3), dtype=np.uint8)]}, "divide bytes by 255"),
        ({"references": [torch.zeros(3, 8, 8, dtype=torch.uint8)]}, "divide bytes by 255"),
    ],
)
def test_types(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        run(PIPE, **options)


def test_without_an_encoder_text_must_come_encoded() -> None:
    with pytest.raises(ValueError, match="has no text encoder: load one, or pass prompt_embeds"):
        run(tiny_pipe(text=False))
