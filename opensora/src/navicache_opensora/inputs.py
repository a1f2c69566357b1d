"""What a call asks for, checked before any model runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from navicache_opensora.masks import Placement, check_placements, parse_strategy
from navicache_opensora.prompts import Request, Scores, prepare, split_request
from navicache_opensora.references import read_reference
from navicache_opensora.sizes import IMAGE_FPS, MICRO_FRAMES, PIXELS, frame_count, latent_size, video_size

OUTPUT_TYPES = ("pil", "np", "pt", "latent")


@dataclass(frozen=True)
class Video:
    """What a video shall be; sizes in pixels, as asked for."""

    height: int
    width: int
    num_frames: int
    fps: float

    @property
    def latents(self) -> tuple[int, int, int]:
        """Latent frames, rows and columns."""
        return latent_size(self.num_frames, self.height, self.width)


def plan_video(
    resolution: str, aspect_ratio: str, size: tuple[int | None, int | None], num_frames: int | str, fps: float
) -> Video:
    """A size in pixels counts before a resolution by name."""
    height, width = size
    if (height is None) != (width is None):
        raise ValueError("give both height and width in pixels, or neither")
    if height is None or width is None:
        height, width = video_size(resolution, aspect_ratio)
    for name, value in (("height", height), ("width", width)):
        if not isinstance(value, int) or value < PIXELS:
            raise ValueError(f"{name} must be {PIXELS} pixels or more, got {value!r}")
    frames = frame_count(num_frames)
    if not fps > 0:
        raise ValueError(f"fps must be positive, got {fps!r}: 24 is usual")
    return Video(height, width, frames, IMAGE_FPS if frames == 1 else fps)


@dataclass(frozen=True)
class Scene:
    """One prompt and what is given beside it."""

    parts: dict[int, str]  # the text from each part of a long video on; empty where the text came encoded
    references: tuple[Tensor, ...] = ()
    placements: tuple[Placement, ...] = ()


@dataclass(frozen=True)
class Extras:
    """What a call gives beside its prompts; for a list of prompts, one entry for each."""

    references: Any
    mask_strategy: str | Sequence[str] | None

    def for_each(self, count: int, single: bool) -> list[tuple[Any, Any]]:
        """References and strategy of every prompt."""
        references, strategies = self.references, self.mask_strategy
        if single:
            return [(references, strategies)] * count
        if isinstance(strategies, str):
            strategies = [strategies] * count
        given = _one_each("references", references, count)
        return list(zip(given, _one_each("mask_strategy", strategies, count), strict=True))


def read_scenes(
    prompt: str | Sequence[str] | None, extras: Extras, video: Video, *, scores: Scores, rows: int, cleaned: bool
) -> list[Scene]:
    """One scene per prompt, or per row of text that came encoded."""
    requests = [Request("")] * rows if prompt is None else [split_request(text) for text in _prompts(prompt)]
    each = extras.for_each(len(requests), single=prompt is None or isinstance(prompt, str))
    return [
        _scene(
            request,
            _listed(references),
            strategy,
            video,
            {} if prompt is None else prepare(request.prompt, scores, cleaned),
        )
        for request, (references, strategy) in zip(requests, each, strict=True)
    ]


def _scene(request: Request, references: list[Any], strategy: Any, video: Video, parts: dict[int, str]) -> Scene:
    if request.reference_path:
        raise ValueError("paths inside a prompt are not opened: load the image or video and pass it as a reference")
    strategy = request.mask_strategy if strategy is None else strategy
    if strategy is None and len(references) > 1:
        raise ValueError(f"say where the {len(references)} references go: mask_strategy='0;0,1,0,-1,1' for two")
    placements = parse_strategy("0" if strategy is None and references else strategy)
    read = tuple(read_reference(one, video.height, video.width) for one in references)
    check_placements(placements, [latent_size(one.shape[2], *one.shape[3:])[0] for one in read], video.latents[0])
    return Scene(parts, read, placements)


def _prompts(prompt: str | Sequence[str]) -> list[str]:
    texts = [prompt] if isinstance(prompt, str) else prompt
    if not (isinstance(texts, list | tuple) and texts and all(isinstance(text, str) for text in texts)):
        raise TypeError(f"prompt must be a text or a list of texts, got {prompt!r}")
    return list(texts)


def _listed(references: Any) -> list[Any]:
    if not isinstance(references, list | tuple | None):
        raise TypeError(f"references must be a list such as references=[image], got {type(references).__name__}")
    return list(references or [])


def _one_each(name: str, values: Any, count: int) -> list[Any]:
    values = [None] * count if values is None else values
    if not isinstance(values, list | tuple) or len(values) != count:
        raise ValueError(f"{name} must be a list with one entry per prompt, {count}")
    return list(values)


@dataclass(frozen=True)
class Settings:
    """How the video is made."""

    steps: int
    guidance: float
    loops: int
    output_type: str
    align: int | None
    videos: int = 1

    def check(self, video: Video) -> None:
        """Refuse what cannot run."""
        if min(self.steps, self.loops, self.videos) < 1:
            raise ValueError("num_inference_steps, num_loops and num_videos_per_prompt must be 1 or more")
        if self.align is not None and self.align < 1:
            raise ValueError(f"align must be 1 or more, or None, got {self.align}: 5 is usual")
        if self.output_type not in OUTPUT_TYPES:
            raise ValueError(f"output_type must be one of {', '.join(OUTPUT_TYPES)}, got {self.output_type!r}")
        if self.loops > 1 and (video.num_frames % MICRO_FRAMES or video.num_frames == MICRO_FRAMES):
            raise ValueError(
                f"parts of a long video need 34, 51, 68 ... frames, got {video.num_frames}: the first 17 of a part "
                "repeat the last 17 of the one before"
            )
        if self.loops > 1 and self.output_type == "latent":
            raise ValueError("the parts of a long video are joined as frames: choose another output_type, or one loop")


def check_latents(latents: Tensor | None, shape: tuple[int, ...]) -> None:
    """Refuse noise of another shape, or that is no noise."""
    if latents is None:
        return
    if tuple(latents.shape) != shape:
        raise ValueError(f"latents must be {shape} for this size, got {tuple(latents.shape)}")
    if not latents.is_floating_point():
        raise TypeError(f"latents must hold floats, got {latents.dtype}: draw them with torch.randn")


def check_generators(generator: Any, batch: int) -> list[torch.Generator | None]:
    """One for each video; a single one serves all in turn."""
    found = list(generator) if isinstance(generator, list | tuple) else [generator] * batch
    if len(found) != batch:
        raise ValueError(f"pass one generator, or one for each of the {batch} videos, got {len(found)}")
    return found
