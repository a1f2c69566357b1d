"""Videos and images: the one place that tells them apart."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from navicache.report.video import save_image, save_video


@dataclass(frozen=True)
class Media:
    """What a pipeline made: (frames, height, width, 3) in [0, 1]; an image is one frame."""

    frames: np.ndarray
    is_video: bool

    @property
    def name(self) -> str:
        """What it is called in file names."""
        return "video" if self.is_video else "image"

    @property
    def suffix(self) -> str:
        """Of its files."""
        return ".mp4" if self.is_video else ".png"

    @property
    def clip(self) -> np.ndarray:
        """For the metrics, which want two frames: an image is a still video, and means over frames stay the same."""
        return self.frames if self.is_video else self.frames.repeat(2, axis=0)

    def save(self, path: Path, fps: int) -> None:
        """Write it, whole or not at all."""
        if self.is_video:
            save_video(self.frames, path, fps)
        else:
            save_image(self.frames[0], path)


def open_image(file: str) -> Image.Image:
    """The picture in a file as pipelines take it: upright, in three colours."""
    try:
        with Image.open(file) as picture:
            return ImageOps.exif_transpose(picture).convert("RGB")
    except FileNotFoundError as error:
        raise ValueError(f"no picture {file}: name a file, such as a PNG or a JPEG") from error
    except (OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"{file} cannot be read as a picture: {error}") from error


def split_samples(output: Iterable[np.ndarray]) -> list[Media]:
    """Every sample of what a pipeline returns under `output_type="np"`.

    Example:
        >>> [made.name for shape in ((2, 5, 8, 8, 3), (1, 8, 8, 3)) for made in split_samples(np.zeros(shape))]
        ['video', 'video', 'image']
    """
    return [_read_sample(np.asarray(sample, dtype=np.float32)) for sample in output]


def _read_sample(sample: np.ndarray) -> Media:
    return Media(sample, True) if sample.ndim == 4 else Media(sample[None], False)
