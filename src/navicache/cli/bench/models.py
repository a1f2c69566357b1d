"""The models of a benchmark before their weights are read: configurations, calls, and every policy on them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from navicache.cli.bench.job import caching, scheduler_class, source_of
from navicache.engine import CannotCache, Reader
from navicache.evaluation.bench.jobs import Job
from navicache.evaluation.bench.plan import NO_CACHE, Model
from navicache.generation.checks import WAN, check_wan_sizes, check_words
from navicache.generation.job import check_call
from navicache.generation.loading import INDEX, choose_device, choose_dtype, known_class, locate, read_index
from navicache.generation.media import open_picture
from navicache.generation.scheduler import shifted_scheduler
from navicache.generation.skeleton import Skeleton, named_class, skeletons
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.engine_builder import build_engine
from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import ModelSpec, find_model, read_calibration

WEIGHTS = ("*.safetensors", "*.bin")
LATER = "its weights are not on this machine yet: they are fetched when its turn comes"


@dataclass
class Look:
    """What was found of one model: `wrong` ends the benchmark, `notes` are only said."""

    model: Model
    wrong: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    pipeline: Any = None  # its class; None where it could not be found out
    denoisers: Mapping[str, Skeleton] = field(default_factory=dict[str, Skeleton])
    _place: Path | str = ""

    def at(self, jobs: Sequence[Job]) -> "Look":
        """Look at everything these jobs of the model need."""
        try:
            self._open()
        except ValueError as error:
            self.wrong.append(str(error))
        self.wrong += _refusals(self._check_call, _distinct(jobs, lambda job: (job.condition, job.setting)))
        self.wrong += _refusals(_check_scheduler, _distinct(jobs, lambda job: job.condition))
        if source_of(self.model).pocket:
            self.wrong += _strange_words(jobs)
        for job in _distinct(jobs, lambda job: job.setting):
            self._try(job)
        return self

    def _open(self) -> None:
        source = source_of(self.model)
        choose_dtype(source, choose_device(source))
        self._place = locate(source)
        index = read_index(self._place)
        self.denoisers, unbuilt = skeletons(self._place, index)
        self.wrong += unbuilt
        self.pipeline = known_class(index)
        self._weigh(index)
        if source.shift is not None:
            shifted_scheduler(self._place, index, source.shift)

    def _weigh(self, index: Mapping[str, Any]) -> None:
        if isinstance(self._place, str):
            if missing_weights(_downloaded(self._place), self.denoisers):
                self.notes.append(LATER)
        elif parts := missing_weights(self._place, index):
            self.wrong.append(f"{self._place} lacks weights of {', '.join(parts)}: copy or convert the model again")

    def _check_call(self, job: Job) -> None:
        if self.pipeline is not None:
            check_call(self.pipeline, job.arguments)
        if "image" in job.arguments:
            open_picture(job.arguments["image"])
        first = next(iter(self.denoisers.values()), None)
        if first is not None and type(first.model).__name__ == WAN:
            vae = named_class("AutoencoderKLWan").load_config(str(self._place), subfolder="vae")
            scale = vae["scale_factor_temporal"], vae["scale_factor_spatial"]
            check_wan_sizes(job.arguments, scale, first.config["patch_size"])

    def _try(self, job: Job) -> None:
        """Build what the job would put on the model; what the model cannot take leaves rows that say so."""
        if job.setting.policy == NO_CACHE or job.setting.calibrate:  # a calibration has yet to be measured
            return
        try:
            asked = caching(job)
            measured = None if asked.calibration is None else self._calibration(asked.calibration, job)
            options = CacheOptions(job.setting.policy, job.setting.mode, calibration=measured, knobs=dict(asked.knobs))
            for skeleton in self.denoisers.values():
                policy = choose_policy(options, self._spec)
                reader = Reader(self._spec.call, get_forward_signature(skeleton.model))
                build_engine(policy, reader, skeleton.model, (), model="", call=self._spec.call)
        except (ValueError, CannotCache) as error:
            self.notes.append(f"not possible, its rows will say so: {job.setting.name}: {error}")

    def _calibration(self, path: Path, job: Job) -> Any:
        try:
            return read_calibration(path)
        except ValueError as error:
            self.wrong.append(f"setting {job.setting.name!r}: {error}")
            return None

    @cached_property
    def _spec(self) -> ModelSpec:
        first = next(iter(self.denoisers.values()))
        return find_model(type(first.model).__name__, dict(first.config), experts=len(self.denoisers))


def missing_weights(folder: Path, parts: Iterable[str]) -> list[str]:
    """The parts of a diffusers folder that have a configuration and no weights, or not all of them."""
    built = (name for name in parts if (folder / name / "config.json").is_file())
    return [name for name in built if not _whole(folder / name)]


def _whole(folder: Path) -> bool:
    lists = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.index.json")]
    if lists:
        return any(all((folder / name).is_file() for name in set(found["weight_map"].values())) for found in lists)
    return any(path for pattern in WEIGHTS for path in folder.glob(pattern))


def _downloaded(name: str) -> Path:
    """The folder of a model of the hub whose index was just read."""
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(name, INDEX)).parent


def _check_scheduler(job: Job) -> None:
    if job.condition.scheduler:
        scheduler_class(job.condition.scheduler)


def _strange_words(jobs: Iterable[Job]) -> list[str]:
    from navicache.pocket import find_unknown_words
    from navicache.pocket.prompts import VOCABULARY

    texts = dict.fromkeys(text for job in jobs for text in _texts(job))
    try:
        check_words((word for text in texts for word in find_unknown_words(text)), VOCABULARY)
    except ValueError as error:
        return [str(error)]
    return []


def _texts(job: Job) -> tuple[str, ...]:
    return (job.prompt, job.arguments.get("negative_prompt", ""), *job.setting.calibrate)


def _refusals(check: Any, jobs: Iterable[Job]) -> Iterator[str]:
    for job in jobs:
        try:
            check(job)
        except (ValueError, OSError) as error:
            yield f"condition {job.condition.name!r}: {error}"


def _distinct(jobs: Iterable[Job], part: Any) -> list[Job]:
    """The first job of each part; parts are the same objects in all jobs of a plan."""
    found: dict[Any, Job] = {}
    for job in jobs:
        found.setdefault(part(job), job)
    return list(found.values())
