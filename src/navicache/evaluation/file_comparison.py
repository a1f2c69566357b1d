"""Compare video and sound files with their references: scores of each, and means with intervals."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from navicache.evaluation.comparison import Comparison, compare
from navicache.evaluation.intervals import MeanEstimate, estimate_mean
from navicache.evaluation.sound import Sound, measure_sound
from navicache.evaluation.sound_files import is_sound_file, read_sound
from navicache.evaluation.video_files import match_videos, read_video

SCORE_NAMES = tuple(entry.name for entry in fields(Comparison) if entry.name != "lpips_missing")


@dataclass(frozen=True)
class SoundComparison:
    """The scores of a sound file against its reference."""

    audio_snr: float
    log_spectral_distance: float

    def to_dict(self) -> dict[str, float | str | None]:
        """Plain values, for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class ScoredVideo:
    """A video or sound file and its scores."""

    name: str
    scores: Comparison | SoundComparison

    def score(self, name: str) -> Any:
        """The score of this name; None if it is not available."""
        return self.scores.to_dict().get(name)


def compare_files(reference: Path, other: Path) -> Iterator[ScoredVideo]:
    """Score each file of `other` against the reference of the same name; errors name the file."""
    for name, first, second in match_videos(reference, other):
        yield ScoredVideo(name, _compare_sound_files(first, second) or _compare_video_files(first, second))


def _compare_sound_files(first: Path, second: Path) -> SoundComparison | None:
    """None if they are no sound files."""
    if not (is_sound_file(first) and is_sound_file(second)):
        return None
    sounds = _read_sounds(first, second)
    if sounds is None:
        raise ValueError(f"{first} and {second} hold no sound: give files with a sound track")
    with _name_files(first, second):
        return SoundComparison(**measure_sound(*sounds))


def _compare_video_files(first: Path, second: Path) -> Comparison:
    clips = read_video(first), read_video(second)
    if clips[0].shape != clips[1].shape:
        raise ValueError(
            f"{first} is {_describe_size(clips[0])} and {second} {_describe_size(clips[1])}: they must be the same"
        )
    with _name_files(first, second):
        return compare(*clips, sounds=_read_sounds(first, second))


def _read_sounds(first: Path, second: Path) -> tuple[Sound, Sound] | None:
    reference, sound = read_sound(first), read_sound(second)
    if (reference is None) != (sound is None):
        with_sound, without = (second, first) if reference is None else (first, second)
        raise ValueError(f"{with_sound} has sound and {without} has none: give both or neither a sound track")
    return None if reference is None or sound is None else (reference, sound)


@contextmanager
def _name_files(first: Path, second: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{second} cannot be compared with {first}: {error}") from error


def list_scores(scored_videos: Sequence[ScoredVideo]) -> list[str]:
    """The names of the scores that these files have; without sound, those of sound are missing."""
    present = {name for video in scored_videos for name in video.scores.to_dict()}
    return [name for name in SCORE_NAMES if name in present]


def estimate_means(scored_videos: Sequence[ScoredVideo]) -> dict[str, MeanEstimate | None]:
    """Estimate the mean of every score over the files; None if a file has no such score."""
    columns = {name: [video.score(name) for video in scored_videos] for name in list_scores(scored_videos)}
    return {name: None if None in values else estimate_mean(values) for name, values in columns.items()}


def build_json_document(scored_videos: Sequence[ScoredVideo], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Build the document that `--json` prints: metadata, means and the scores of every video."""
    means = {name: None if found is None else found._asdict() for name, found in estimate_means(scored_videos).items()}
    videos = [{"name": video.name, **video.scores.to_dict()} for video in scored_videos]
    return {**metadata, "mean": means, "videos": videos}


def format_csv(scored_videos: Sequence[ScoredVideo]) -> str:
    """One line per file; an empty cell means that the score is not available."""
    text, names = io.StringIO(), list_scores(scored_videos)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", *names])
    writer.writerows([video.name, *map(video.score, names)] for video in scored_videos)
    return text.getvalue()


def _describe_size(clip: Any) -> str:
    frames, height, width, _ = clip.shape
    return f"{frames} frames of {width}x{height}"
