"""Check the models of a benchmark before their weights are read: configurations, calls and policies."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from navicache.cli.bench.conversion import build_cache_settings, find_scheduler_class, model_source
from navicache.engine import CallReader, CannotCache
from navicache.evaluation.bench.jobs import BenchJob
from navicache.evaluation.bench.plan import NO_CACHE, PlanModel, PlanSetting
from navicache.generation.checks import WAN, check_vocabulary, check_wan_sizes
from navicache.generation.index_checks import find_component_class, find_pipeline_class, list_index_problems
from navicache.generation.job import check_call_arguments
from navicache.generation.loading import (
    MODEL_INDEX,
    choose_device,
    choose_dtype,
    locate_model,
    read_model_index,
)
from navicache.generation.media import open_image
from navicache.generation.meta_denoisers import MetaDenoiser, build_denoisers
from navicache.generation.scheduler import load_shifted_scheduler
from navicache.integrations.attachments import get_forward_signature
from navicache.integrations.engine_builder import build_engine
from navicache.integrations.policy_choice import CacheOptions, choose_policy
from navicache.models import ModelSpec, find_model, read_calibration, read_settings

WEIGHTS = ("*.safetensors", "*.bin")
DOWNLOADED_LATER = "its weights are not on this machine yet: they are fetched when its turn comes"


def check_model(model: PlanModel, jobs: Sequence[BenchJob]) -> "ModelCheck":
    """Check a model, and what these jobs ask of it."""
    found = ModelCheck(model)
    found.run(jobs)
    return found


@dataclass
class ModelCheck:
    """What was found about one model: a problem stops the benchmark, a note does not."""

    model: PlanModel
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    pipeline: Any = None  # its class; None where it could not be found out
    denoisers: Mapping[str, MetaDenoiser] = field(default_factory=dict[str, MetaDenoiser])
    policies: dict[PlanSetting, Any] = field(default_factory=dict[PlanSetting, Any])  # that fit the model
    _place: Path | str = ""

    def run(self, jobs: Sequence[BenchJob]) -> None:
        """Check everything that these jobs of the model need."""
        try:
            self._open()
        except ValueError as error:
            self.problems.append(str(error))
        calls = _first_jobs(jobs, lambda job: (job.condition, job.setting))
        self.problems += _collect_refusals(self._check_call, calls)
        self.problems += _collect_refusals(_check_scheduler, _first_jobs(jobs, lambda job: job.condition))
        if model_source(self.model).is_embedded:
            self.problems += _unknown_words(jobs)
        for job in _first_jobs(jobs, lambda job: job.setting):
            self._try_policy(job)

    def _open(self) -> None:
        source = model_source(self.model)
        choose_dtype(source, choose_device(source))
        self._place = locate_model(source)
        index = read_model_index(self._place)
        self.denoisers, unbuilt = build_denoisers(self._place, index)
        self.problems += dict.fromkeys([*list_index_problems(index, self._place), *unbuilt])
        self.pipeline = find_pipeline_class(index)
        self._check_weights(index)
        if source.shift is not None:
            load_shifted_scheduler(self._place, index, source.shift)

    def _check_weights(self, index: Mapping[str, Any]) -> None:
        if isinstance(self._place, str):
            if list_parts_without_weights(_hub_folder(self._place), self.denoisers):
                self.notes.append(DOWNLOADED_LATER)
        elif parts := list_parts_without_weights(self._place, index):
            self.problems.append(f"{self._place} lacks weights of {', '.join(parts)}: copy or convert the model again")

    def _check_call(self, job: BenchJob) -> None:
        if self.pipeline is not None:
            check_call_arguments(self.pipeline, job.arguments)
        if "image" in job.arguments:
            open_image(job.arguments["image"])
        first = next(iter(self.denoisers.values()), None)
        if first is not None and type(first.model).__name__ == WAN:
            vae = find_component_class("diffusers", "AutoencoderKLWan").load_config(str(self._place), subfolder="vae")
            scale = vae["scale_factor_temporal"], vae["scale_factor_spatial"]
            check_wan_sizes(job.arguments, scale, first.config["patch_size"])

    def _try_policy(self, job: BenchJob) -> None:
        """Build the policy on the empty model; a policy that does not fit becomes a note."""
        if job.setting.policy == NO_CACHE or job.setting.calibrate:  # a calibration has yet to be measured
            return
        try:
            asked = build_cache_settings(job)
            measured = None if asked.calibration is None else self._calibration(asked.calibration, job)
            knobs = dict(job.setting.knobs)
            options = CacheOptions(job.setting.policy, job.setting.mode, calibration=measured, knobs=knobs)
            if asked.settings is not None and (first := next(iter(self.denoisers.values()), None)) is not None:
                read_settings(asked.settings).check_model(type(first.model).__name__, dict(first.config))
            for skeleton in self.denoisers.values():
                policy = choose_policy(options, self._spec)
                reader = CallReader(self._spec.call, get_forward_signature(skeleton.model))
                build_engine(policy, reader, skeleton.model, (), model="", call=self._spec.call)
                self.policies[job.setting] = policy
        except (ValueError, CannotCache) as error:
            self.notes.append(f"not possible, its rows will say so: {job.setting.name}: {error}")

    def _calibration(self, path: Path, job: BenchJob) -> Any:
        try:
            return read_calibration(path)
        except ValueError as error:
            self.problems.append(f"setting {job.setting.name!r}: {error}")
            return None

    @cached_property
    def _spec(self) -> ModelSpec:
        first = next(iter(self.denoisers.values()))
        return find_model(type(first.model).__name__, dict(first.config), experts=len(self.denoisers))


def list_parts_without_weights(folder: Path, parts: Iterable[str]) -> list[str]:
    """The parts of a diffusers folder that have a configuration but not all their weights."""
    built = (name for name in parts if (folder / name / "config.json").is_file())
    return [name for name in built if not _has_all_weights(folder / name)]


def _has_all_weights(folder: Path) -> bool:
    lists = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.index.json")]
    if lists:
        return any(all((folder / name).is_file() for name in set(found["weight_map"].values())) for found in lists)
    return any(path for pattern in WEIGHTS for path in folder.glob(pattern))


def _hub_folder(name: str) -> Path:
    """The local folder of a hub model whose index was read."""
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(name, MODEL_INDEX)).parent


def _check_scheduler(job: BenchJob) -> None:
    if job.condition.scheduler:
        find_scheduler_class(job.condition.scheduler)


def _unknown_words(jobs: Iterable[BenchJob]) -> list[str]:
    from navicache.pocket import find_unknown_words
    from navicache.pocket.prompts import VOCABULARY

    read = ((job.prompt, job.arguments.get("negative_prompt", ""), *job.setting.calibrate) for job in jobs)
    texts = dict.fromkeys(text for own in read for text in own)
    try:
        check_vocabulary((word for text in texts for word in find_unknown_words(text)), VOCABULARY)
    except ValueError as error:
        return [str(error)]
    return []


def _collect_refusals(check: Any, jobs: Iterable[BenchJob]) -> Iterator[str]:
    for job in jobs:
        try:
            check(job)
        except (ValueError, OSError) as error:
            yield f"condition {job.condition.name!r}: {error}"


def _first_jobs(jobs: Iterable[BenchJob], part: Any) -> list[BenchJob]:
    """The first job for each value of `part`."""
    found: dict[Any, BenchJob] = {}
    for job in jobs:
        found.setdefault(part(job), job)
    return list(found.values())
