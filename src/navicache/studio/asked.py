"""What a visitor asks for, checked before anything is loaded."""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navicache.generation.job import Caching, Job, Source
from navicache.policies.knob_checks import check_choice, check_integer, check_number
from navicache.studio.offer import Offer

SPEEDUP, QUALITY, MAX_ERROR = "speed-up", "quality", "max error"
TARGETS = (SPEEDUP, QUALITY, MAX_ERROR)
LEAST = {"steps": 1, "frames": 1, "height": 8, "width": 8}
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Asked:
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

    def job(self, offer: Offer) -> Job:
        """The same as a job; whatever can be refused without the model is refused here.

        Example:
            >>> Asked("a red ball", "pocket:unet", steps=8).job(Offer()).arguments["num_inference_steps"]
            8
        """
        if not self.prompt.strip():
            raise ValueError("say what to show: the prompt is empty")
        source = offer.source(self.model)
        check_integer("seed", self.seed, 0)
        check_number("seed", self.seed, 0, MOST_SEED, "any whole number")
        job = Job(
            source, (self.prompt.strip(),), self.arguments(source), self.caching(), Path(), self.seed or 0, source.fps
        )
        job.caching.check()
        return job

    def caching(self) -> Caching:
        """The target, as `enable` takes it."""
        check_choice("target", self.target, TARGETS)
        if {SPEEDUP: self.speedup, QUALITY: self.quality, MAX_ERROR: self.max_error}[self.target] is None:
            raise ValueError(f"the target is a {self.target}, and none is given")  # or a default would go in its place
        ways = {
            SPEEDUP: Caching(knobs={"speedup": self.speedup}),
            QUALITY: Caching(mode=self.quality),
            MAX_ERROR: Caching(knobs={"max_error": self.max_error}),
        }
        return ways[self.target]

    def arguments(self, source: Source) -> dict[str, Any]:
        """What the pipeline's call is given, beside prompt and noise."""
        for name, least in LEAST.items():
            if (value := getattr(self, name)) is not None:
                check_integer(name, value, least)
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


def plain_key(job: Job) -> Hashable:
    """What the run without the cache depends on: all but the target.

    Example:
        >>> one, other = (Asked("a ball", "pocket", speedup=x).job(Offer()) for x in (2.0, 3.0))
        >>> plain_key(one) == plain_key(other)
        True
    """
    return job.source, job.prompts, job.seed, tuple(sorted(job.arguments.items()))


def plain_words(message: str) -> str:
    """An error of the command line, for those who have no command line before them.

    Example:
        >>> plain_words("--frames must be 4k+1, got 8: 5 or 9 would do")
        'frames must be 4k+1, got 8: 5 or 9 would do'
    """
    return message.replace("--", "")
