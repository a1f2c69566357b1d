"""Small pipelines in place of those that a page loads: same classes and calls, no hub and no GPU."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from diffusers import WanPipeline
from tests.opensora import common as opensora
from tests.support.tuned import tuned_file
from tests.tiny.saved import save_wan
from transformers import AutoTokenizer, T5EncoderModel

from navicache_opensora import AutoencoderOpenSora, OpenSoraPipeline, STDiT3Transformer


class SmallWan(WanPipeline):
    """A Wan that stays where it is, and makes no video larger than the embedded one's."""

    def __call__(self, prompt: str, num_frames: int = 17, height: int = 128, width: int = 128, **more: Any) -> Any:
        sizes = {"num_frames": min(num_frames, 17), "height": min(height, 128), "width": min(width, 128)}
        return super().__call__(prompt, **sizes, **more)

    def to(self, *_: Any, **__: Any) -> SmallWan:
        return self


class SmallOpenSora(OpenSoraPipeline):
    """An Open-Sora of one size and few steps."""

    def __call__(self, prompt: str, generator: Any = None, **_: Any) -> Any:
        return super().__call__(prompt, generator=generator, **opensora.SMALL)

    def to(self, *_: Any, **__: Any) -> SmallOpenSora:
        return self


def save_settings(folder: Path, config: dict[str, Any], **more: Any) -> None:
    """The settings files that the pages name."""
    tuned = tuned_file(folder, "WanTransformer3DModel", config, **more)
    (folder / "outputs" / "wan").mkdir(parents=True)
    for place in ("wan.json", "outputs/wan/settings.json"):
        shutil.copy(tuned, folder / place)


def quiet(pipe: Any) -> Any:
    pipe.set_progress_bar_config(disable=True)
    return pipe


class Loading:
    """What `from_pretrained` gives in the blocks of a page."""

    def __init__(self, folder: Path, real: bool) -> None:
        """`real`: folders that are there are opened as they are."""
        self.folder, self.real, self.open = save_wan(folder), real, WanPipeline.from_pretrained

    def wan(self, place: Any = None, **_: Any) -> Any:
        if self.real and Path(str(place)).is_dir():
            return quiet(self.open(place))
        return quiet(SmallWan(**self.open(self.folder).components))

    def opensora(self, *_: Any, **__: Any) -> Any:
        return quiet(SmallOpenSora(**opensora.tiny_pipe().components))

    def replace(self, patch: pytest.MonkeyPatch) -> None:
        parts = opensora.tiny_pipe().components
        for kind, make in {
            WanPipeline: self.wan,
            OpenSoraPipeline: self.opensora,
            AutoTokenizer: lambda *_, **__: parts["tokenizer"],
            T5EncoderModel: lambda *_, **__: parts["text_encoder"],
            STDiT3Transformer: lambda *_, **__: parts["transformer"],
            AutoencoderOpenSora: lambda *_, **__: parts["vae"],
        }.items():
            patch.setattr(kind, "from_pretrained", make)
