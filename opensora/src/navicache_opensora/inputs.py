"""The arguments of a call, checked before any model runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from navicache_opensora.masks import ReferencePlacement, check_placements, parse_mask_strategy
from navicache_opensora.prompts import ParsedPrompt, PromptScores, parse_prompt, prepare_prompt
from navicache_opensora.references import preprocess_reference
from navicache_opensora.sizes import (
    IMAGE_FPS,
    MICRO_FRAMES,
    SPATIAL_COMPRESSION,
    compute_latent_size,
    look_up_size,
    parse_num_frames,
)

OUTPUT_TYPES = ("pil", "np", "pt", "latent")


@dataclass(frozen=True)
class VideoSpec:
    """Size, length and frame rate of a video; sizes in pixels, before they are rounded to whole latents."""

    height: int
    width: int
    num_frames: int
    fps: float

    @property
    def latent_size(self) -> tuple[int, int, int]:
        """Latent frames, rows and columns."""
        return compute_latent_size(self.num_frames, self.height, self.width)


def build_video_spec(
    resolution: str, aspect_ratio: str, size: tuple[int | None, int | None], num_frames: int | str, fps: float
) -> VideoSpec:
    """Height and width in pixels take precedence over a resolution by name."""
    height, width = size
    if (height is None) != (width is None):
        raise ValueError("give both height and width in pixels, or neither")
    if height is None or width is None:
        height, width = look_up_size(resolution, aspect_ratio)
    for name, value in (("height", height), ("width", width)):
        if not isinstance(value, int) or value < SPATIAL_COMPRESSION:
            raise ValueError(f"{name} must be {SPATIAL_COMPRESSION} pixels or more, got {value!r}")
    frames = parse_num_frames(num_frames)
    if not fps > 0:
        raise ValueError(f"fps must be positive, got {fps!r}: 24 is usual")
    return VideoSpec(height, width, frames, IMAGE_FPS if frames == 1 else fps)


@dataclass(frozen=True)
class VideoRequest:
    """One video: its prompt, its references and where they go."""

    segments: dict[int, str]  # first loop of each text -> text; empty if the prompt is given as embeddings
    references: tuple[Tensor, ...] = ()
    placements: tuple[ReferencePlacement, ...] = ()


@dataclass(frozen=True)
class ReferenceInputs:
    """The references of a call and where they go; for a list of prompts, one entry for each."""

    references: Any
    mask_strategy: str | Sequence[str] | None

    def split_by_prompt(self, count: int, single: bool) -> list[tuple[Any, Any]]:
        """References and strategy of every prompt."""
        references, strategies = self.references, self.mask_strategy
        if single:
            return [(references, strategies)] * count
        if isinstance(strategies, str):
            strategies = [strategies] * count
        each = _list_per_prompt("references", references, count)
        return list(zip(each, _list_per_prompt("mask_strategy", strategies, count), strict=True))


def build_requests(
    prompt: str | Sequence[str] | None,
    reference_inputs: ReferenceInputs,
    video: VideoSpec,
    *,
    scores: PromptScores,
    num_embeds: int,
    clean_caption: bool,
) -> list[VideoRequest]:
    """One request per prompt, or per row of `prompt_embeds`."""
    parsed = (
        [ParsedPrompt("")] * num_embeds if prompt is None else [parse_prompt(text) for text in _list_prompts(prompt)]
    )
    each = reference_inputs.split_by_prompt(len(parsed), single=prompt is None or isinstance(prompt, str))
    return [
        _build_request(
            text,
            _list_references(references),
            strategy,
            video,
            {} if prompt is None else prepare_prompt(text.prompt, scores, clean_caption),
        )
        for text, (references, strategy) in zip(parsed, each, strict=True)
    ]


def _build_request(
    prompt: ParsedPrompt, references: list[Any], strategy: Any, video: VideoSpec, segments: dict[int, str]
) -> VideoRequest:
    if prompt.reference_path:
        raise ValueError("paths inside a prompt are not opened: load the image or video and pass it as a reference")
    strategy = prompt.mask_strategy if strategy is None else strategy
    if strategy is None and len(references) > 1:
        raise ValueError(
            f"say where the {len(references)} references go: mask_strategy='0;0,1,0,-1,1' for a first and a last frame"
        )
    placements = parse_mask_strategy("0" if strategy is None and references else strategy)
    frames = tuple(preprocess_reference(reference, video.height, video.width) for reference in references)
    lengths = [compute_latent_size(clip.shape[2], *clip.shape[3:])[0] for clip in frames]
    check_placements(placements, lengths, video.latent_size[0])
    return VideoRequest(segments, frames, placements)


def _list_prompts(prompt: str | Sequence[str]) -> list[str]:
    texts = [prompt] if isinstance(prompt, str) else prompt
    if not (isinstance(texts, list | tuple) and texts and all(isinstance(text, str) for text in texts)):
        raise TypeError(f"prompt must be a text or a list of texts, got {prompt!r}")
    return list(texts)


def _list_references(references: Any) -> list[Any]:
    if not isinstance(references, list | tuple | None):
        raise TypeError(f"references must be a list such as references=[image], got {type(references).__name__}")
    return list(references or [])


def _list_per_prompt(name: str, values: Any, count: int) -> list[Any]:
    values = [None] * count if values is None else values
    if not isinstance(values, list | tuple) or len(values) != count:
        raise ValueError(f"{name} must be a list with one entry per prompt, {count}")
    return list(values)


@dataclass(frozen=True)
class SamplingSettings:
    """How the videos are sampled."""

    num_inference_steps: int
    guidance_scale: float
    num_loops: int
    output_type: str
    align: int | None
    num_videos_per_prompt: int = 1

    def check(self, video: VideoSpec) -> None:
        """Raise if the settings are invalid."""
        if min(self.num_inference_steps, self.num_loops, self.num_videos_per_prompt) < 1:
            raise ValueError("num_inference_steps, num_loops and num_videos_per_prompt must be 1 or more")
        if self.align is not None and self.align < 1:
            raise ValueError(f"align must be 1 or more, or None, got {self.align}: 5 is usual")
        if self.output_type not in OUTPUT_TYPES:
            raise ValueError(f"output_type must be one of {', '.join(OUTPUT_TYPES)}, got {self.output_type!r}")
        if self.num_loops > 1 and (video.num_frames % MICRO_FRAMES or video.num_frames == MICRO_FRAMES):
            raise ValueError(
                f"the clips of a long video need 34, 51, 68 ... frames, got {video.num_frames}: the first 17 of a clip "
                "repeat the last 17 of the clip before"
            )
        if self.num_loops > 1 and self.output_type == "latent":
            raise ValueError(
                "the clips of a long video are joined as frames: choose another output_type, or num_loops=1"
            )


def check_latents(latents: Tensor | None, shape: tuple[int, ...]) -> None:
    """Raise if the initial latents have a wrong shape or dtype."""
    if latents is None:
        return
    if tuple(latents.shape) != shape:
        raise ValueError(f"latents must be {shape} for this size, got {tuple(latents.shape)}")
    if not latents.is_floating_point():
        raise TypeError(f"latents must hold floats, got {latents.dtype}: draw them with torch.randn")


def list_generators(generator: Any, batch: int) -> list[torch.Generator | None]:
    """One generator for each video; a single one is shared by all."""
    generators = list(generator) if isinstance(generator, list | tuple) else [generator] * batch
    if len(generators) != batch:
        raise ValueError(f"pass one generator, or one for each of the {batch} videos, got {len(generators)}")
    return generators
