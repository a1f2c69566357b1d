"""What a visitor asks for, checked before anything is loaded."""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path

from navicache.generation.job import MOST_SEED, CacheSettings, GenerationJob
from navicache.models import Quality
from navicache.policies.knob_checks import check_choice, check_integer, check_number
from navicache.studio.limits import LEAST_VALUES
from navicache.studio.models import StudioModels

SPEEDUP, QUALITY, MAX_ERROR, SETTINGS = "speed-up", "quality", "max error", "settings file"
TARGETS = (SPEEDUP, QUALITY, MAX_ERROR, SETTINGS)
LOCKED = (SPEEDUP, QUALITY, MAX_ERROR)  # a visitor of a locked studio names no file of its machine


@dataclass(frozen=True)
class StudioRequest:
    """The values of the page's fields, in their order; None means the model's default."""

    prompt: str | None
    model: str | None
    target: str = SPEEDUP
    speedup: float | None = 2.0
    quality: Quality | None = "high"
    max_error: float | None = 0.05
    settings: str | None = None  # path of a file on the studio's machine
    seed: int | None = 0
    steps: int | None = None
    guidance: float | None = None
    frames: int | None = None
    height: int | None = None
    width: int | None = None
    negative_prompt: str | None = ""

    def to_job(self, models: StudioModels) -> GenerationJob:
        """The request as a job; everything that can be checked without the model is checked.

        Example:
            >>> job = StudioRequest("a red ball", "pocket:unet", steps=8).to_job(StudioModels())
            >>> job.arguments["num_inference_steps"]
            8
        """
        prompt, negative = ((text or "").strip() for text in (self.prompt, self.negative_prompt))
        if not prompt:
            raise ValueError("say what to show: the prompt is empty")
        source = models.get_allowed_source(self.model)
        limits = models.limits_of(source)
        limits.check_texts({"prompt": prompt, "negative prompt": negative})
        limits.check_values({name: getattr(self, name) for name in LEAST_VALUES})
        check_integer("seed", self.seed, 0)
        check_number("seed", self.seed, 0, MOST_SEED, "any whole number")
        if models.locked and self.target not in LOCKED:
            raise ValueError("this studio is locked: only who runs it may name a settings file; choose another target")
        if self.guidance is not None:
            check_number("guidance", self.guidance, 0, 100, "the model's own where it is left empty")
        arguments = source.fill_arguments({**vars(self), "negative_prompt": negative or None})
        limits.check_pixels(arguments)
        job = GenerationJob(source, (prompt,), arguments, self.cache_options(), Path(), self.seed or 0, source.fps)
        job.caching.check()
        return job

    def cache_options(self) -> CacheSettings:
        """The target as cache options."""
        check_choice("target", self.target, TARGETS)
        values = {SPEEDUP: self.speedup, QUALITY: self.quality, MAX_ERROR: self.max_error}
        settings = Path((self.settings or "").strip())
        if self.target == SETTINGS and not settings.is_file():
            raise ValueError(f"no settings file {settings}: write the path of a file of `navicache tune`")
        if values.get(self.target, settings) is None:
            raise ValueError(f"the target is a {self.target}, and none is given")  # or a default would go in its place
        ways = {
            SPEEDUP: CacheSettings(knobs={"speedup": self.speedup}),
            QUALITY: CacheSettings(quality=self.quality),
            MAX_ERROR: CacheSettings(knobs={"max_error": self.max_error}),
            SETTINGS: CacheSettings(settings=settings),
        }
        return ways[self.target]


def baseline_key(job: GenerationJob) -> Hashable:
    """Everything that a run without the cache depends on.

    Example:
        >>> one, other = (StudioRequest("a ball", "pocket", speedup=x).to_job(StudioModels()) for x in (2.0, 3.0))
        >>> baseline_key(one) == baseline_key(other)
        True
    """
    return job.source, job.prompts, job.seed, tuple(sorted(job.arguments.items()))


def remove_dashes(message: str) -> str:
    """An error message of the command line without the dashes of its options.

    Example:
        >>> remove_dashes("--frames must be 4k+1, got 8: 5 or 9 would do")
        'frames must be 4k+1, got 8: 5 or 9 would do'
    """
    return message.replace("--", "")
