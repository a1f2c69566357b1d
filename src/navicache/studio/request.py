"""What a visitor asks for, checked before anything is loaded."""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navicache.generation.job import CacheOptions, GenerationJob, ModelSource
from navicache.policies.checks import check_choice, check_number, check_whole
from navicache.studio.models import StudioModels

SPEEDUP, QUALITY, MAX_ERROR = "speed-up", "quality", "max error"
TARGETS = (SPEEDUP, QUALITY, MAX_ERROR)
LEAST_VALUES = {"steps": 1, "frames": 1, "height": 8, "width": 8}
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class StudioRequest:
    """The fields of the page, in its order; None leaves a choice to the model."""

    prompt: str
    model: str | None
    target: str = SPEEDUP
    speedup: float | None = 2.0
    quality: str | None = "mid"
    max_error: float | None = 0.05
    seed: int | None = 0
    steps: int | None = None
    guidance: float | None = None
    frames: int | None = None
    height: int | None = None
    width: int | None = None
    negative_prompt: str = ""

    def job(self, offer: StudioModels) -> GenerationJob:
        """The same as a job; whatever can be refused without the model is refused here.

        Example:
            >>> StudioRequest("a red ball", "pocket:unet", steps=8).job(StudioModels()).arguments["num_inference_steps"]
            8
        """
        if not self.prompt.strip():
            raise ValueError("say what to show: the prompt is empty")
        source = offer.source(self.model)
        check_whole("seed", self.seed, 0)
        check_number("seed", self.seed, 0, MOST_SEED, "any whole number")
        job = GenerationJob(
            source, (self.prompt.strip(),), self.arguments(source), self.caching(), Path(), self.seed or 0, source.fps
        )
        job.caching.check()
        return job

    def caching(self) -> CacheOptions:
        """The target, as `enable` takes it."""
        check_choice("target", self.target, TARGETS)
        if {SPEEDUP: self.speedup, QUALITY: self.quality, MAX_ERROR: self.max_error}[self.target] is None:
            raise ValueError(f"the target is a {self.target}, and none is given")  # or a default would go in its place
        ways = {
            SPEEDUP: CacheOptions(knobs={"speedup": self.speedup}),
            QUALITY: CacheOptions(mode=self.quality),
            MAX_ERROR: CacheOptions(knobs={"max_error": self.max_error}),
        }
        return ways[self.target]

    def arguments(self, source: ModelSource) -> dict[str, Any]:
        """What the pipeline's call is given, beside prompt and noise."""
        for name, least in LEAST_VALUES.items():
            if (value := getattr(self, name)) is not None:
                check_whole(name, value, least)
        if self.guidance is not None:
            check_number("guidance", self.guidance, 0, 100, "the model's own where it is left empty")
        given = {
            "num_inference_steps": self.steps,
            "guidance_scale": self.guidance,
            "num_frames": self.frames,
            "height": self.height,
            "width": self.width,
            "negative_prompt": self.negative_prompt.strip() or None,
        }
        usual = source.member.call if source.member else {}
        return {**usual, **{name: value for name, value in given.items() if value is not None}}


def baseline_key(job: GenerationJob) -> Hashable:
    """What the run without the cache depends on: all but the target.

    Example:
        >>> one, other = (StudioRequest("a ball", "pocket", speedup=x).job(StudioModels()) for x in (2.0, 3.0))
        >>> baseline_key(one) == baseline_key(other)
        True
    """
    return job.source, job.prompts, job.seed, tuple(sorted(job.arguments.items()))


def remove_dashes(message: str) -> str:
    """An error of the command line, for those who have no command line before them.

    Example:
        >>> remove_dashes("--frames must be 4k+1, got 8: 5 or 9 would do")
        'frames must be 4k+1, got 8: 5 or 9 would do'
    """
    return message.replace("--", "")
