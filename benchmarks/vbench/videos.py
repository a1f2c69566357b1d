"""The videos of every setting as VBench looks for them: `PROMPT-N.mp4` in one folder, N counting the seeds from 0."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.vbench.scores import DIMENSIONS
from navicache.evaluation.bench.names import digest, slug
from navicache.evaluation.bench.prompts import vbench_prompts
from navicache.evaluation.bench.rows import Row, RowFile
from navicache.evaluation.bench.selection import matching_names, parse_selection
from navicache.evaluation.bench.session import ROWS
from navicache.evaluation.bench.summaries import SettingPlace

FLICKERING = "temporal_flickering"
SAMPLES = 5  # videos a prompt: VBench looks for no others
BEFORE_FILTER = 25  # of this dimension, since a filter leaves only the still ones
SUFFIX = ".mp4"
Prompts = Mapping[str, Sequence[str]]  # by dimension


@dataclass(frozen=True)
class BenchVideo:
    """A file, and the key of the job that made it."""

    path: Path
    key: str


@dataclass(frozen=True)
class SettingVideos:
    """The videos of one setting, by prompt and number of the seed."""

    place: SettingPlace
    series: str
    videos: Mapping[tuple[str, int], BenchVideo]

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """What `--only` may call it."""
        model, condition, setting = self.place
        return {"models": (model,), "conditions": (condition,), "settings": (setting, self.series)}

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its folders."""
        return tuple(map(slug, self.place))

    def found(self, prompts: Iterable[str], samples: int = SAMPLES) -> dict[str, BenchVideo]:
        """Those of these prompts that are there, by the names VBench knows them by."""
        wanted = {video_name(*each): each for each in _all_videos(prompts, samples)}
        return {name: self.videos[each] for name, each in wanted.items() if each in self.videos}

    def missing(self, prompts: Iterable[str], samples: int = SAMPLES) -> list[str]:
        """The names of those that are not."""
        return [video_name(*each) for each in _all_videos(prompts, samples) if each not in self.videos]


def _all_videos(prompts: Iterable[str], samples: int) -> list[tuple[str, int]]:
    return [(prompt, number) for prompt in prompts for number in range(samples)]


def video_name(prompt: str, number: int) -> str:
    """As VBench 0.1.5 puts it together.

    Example:
        >>> video_name("a person is skiing", 4)
        'a person is skiing-4.mp4'
    """
    return f"{prompt}-{number}{SUFFIX}"


def read_prompts(path: Path) -> Prompts:
    """The prompts of each dimension, from VBench's own list."""
    return {dimension: vbench_prompts((dimension,), path) for dimension in DIMENSIONS}


def read_settings(folders: Sequence[Path]) -> list[SettingVideos]:
    """Every setting of these results; what they share in prompts and seeds counts from the first folder that has it."""
    rows: dict[SettingPlace, list[tuple[Path, Row]]] = {}
    for folder in dict.fromkeys(folders):
        if not (folder / ROWS).is_file():
            raise ValueError(f"{folder} holds no {ROWS}: give a folder that `navicache bench` wrote")
        for row in RowFile(folder / ROWS).rows:
            if row["kind"] in ("baseline", "cached"):
                rows.setdefault((row["model"], row["condition"], row["setting"]), []).append((folder, row))
    if not rows:
        raise ValueError(f"{folders[0]} holds no finished job yet: run `navicache bench` first")
    return [_read_setting(place, own) for place, own in rows.items()]


def _read_setting(place: SettingPlace, rows: Sequence[tuple[Path, Row]]) -> SettingVideos:
    numbers = _number_seeds(rows)
    found: dict[Path, dict[tuple[str, int], BenchVideo]] = {}
    for folder, row in rows:
        path = folder / (row["video"] or "")
        if path.suffix == SUFFIX and path.is_file():  # a later row of the same name has written over the file
            found.setdefault(folder, {})[row["prompt"], numbers[row["seed"]]] = BenchVideo(path, row["key"])
    videos = {each: video for own in reversed(found.values()) for each, video in own.items()}
    return SettingVideos(place, rows[0][1]["series"], videos)


def _number_seeds(rows: Iterable[tuple[Path, Row]]) -> dict[int, int]:
    """Of the seeds: over all prompts, so that parts of one benchmark agree; those of the first folder come first."""
    seeds: dict[Path, set[int]] = {}
    for folder, row in rows:
        seeds.setdefault(folder, set()).add(row["seed"])
    in_order = dict.fromkeys(seed for own in seeds.values() for seed in sorted(own))
    return {seed: number for number, seed in enumerate(in_order)}


def choose_settings(settings: Sequence[SettingVideos], only: Sequence[str]) -> list[SettingVideos]:
    """Those that `--only` names; a baseline too only where it is named."""
    found = list(settings)
    for kind, patterns in map(parse_selection, only):
        known = list(dict.fromkeys(each.names[kind] for each in found))
        fitting = {names for pattern in patterns for names in matching_names(known, kind, pattern)}
        found = [each for each in found if each.names[kind] in fitting]
    return found


def lay_out_links(folder: Path, videos: Mapping[str, BenchVideo]) -> None:
    """A link for each, under its name, and nothing else: VBench takes the suffix of all from any one file."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, video in videos.items():
        target = video.path.resolve()
        try:
            (folder / name).symlink_to(os.path.relpath(target, folder.resolve()))
        except OSError:  # Windows lets not everybody make one
            (folder / name).hardlink_to(target)


def fingerprint(videos: Mapping[str, BenchVideo]) -> str:
    """Another one wherever a video was added, taken away or made anew."""
    return digest({name: [video.key, video.path.stat().st_size] for name, video in videos.items()})
