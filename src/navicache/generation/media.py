"""Videos, with their sound, and images that a pipeline generated."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from navicache.evaluation.sound import Sound
from navicache.report.video import save_image, save_video


@dataclass(frozen=True)
class Media:
    """A generated video or image: (frames, height, width, 3) in [0, 1]; an image is one frame."""

    frames: np.ndarray
    is_video: bool
    sound: Sound | None = None

    @property
    def name(self) -> str:
        """The word "video" or "image", for file names."""
        return "video" if self.is_video else "image"

    @property
    def suffix(self) -> str:
        """The suffix of its file."""
        return ".mp4" if self.is_video else ".png"

    @property
    def clip(self) -> np.ndarray:
        """Frames for the metrics, which need two: an image is repeated."""
        return self.frames if self.is_video else self.frames.repeat(2, axis=0)

    def save(self, path: Path, fps: int) -> None:
        """Write it atomically."""
        if self.is_video:
            save_video(self.frames, path, fps, self.sound)
        else:
            save_image(self.frames[0], path)


def open_image(file: str) -> Image.Image:
    """Open an image file as pipelines take it: upright, in RGB."""
    try:
        with Image.open(file) as picture:
            return ImageOps.exif_transpose(picture).convert("RGB")
    except FileNotFoundError as error:
        raise ValueError(f"no picture {file}: name a file, such as a PNG or a JPEG") from error
    except (OSError, Image.DecompressionBombError) as error:
        raise ValueError(f"{file} cannot be read as a picture: {error}") from error


def split_samples(output: Iterable[np.ndarray], sounds: Iterable[Sound | None] | None = None) -> list[Media]:
    """The samples of a pipeline's output under `output_type="np"`, with the sound of each if there is any.

    Example:
        >>> [made.name for shape in ((2, 5, 8, 8, 3), (1, 8, 8, 3)) for made in split_samples(np.zeros(shape))]
        ['video', 'video', 'image']
    """
    samples = [np.asarray(sample, dtype=np.float32) for sample in output]
    return [
        Media(sample, True, sound) if sample.ndim == 4 else Media(sample[None], False)
        for sample, sound in zip(samples, sounds or [None] * len(samples), strict=True)
    ]
