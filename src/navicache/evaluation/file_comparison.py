"""Compare video files with their references: scores of each, and means with intervals."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from navicache.evaluation.comparison import Comparison, compare
from navicache.evaluation.intervals import MeanEstimate, estimate_mean
from navicache.evaluation.video_files import match_videos, read_video

SCORE_NAMES = tuple(entry.name for entry in fields(Comparison) if entry.name != "lpips_missing")


@dataclass(frozen=True)
class ScoredVideo:
    """A video and its scores."""

    name: str
    scores: Comparison


def compare_files(reference: Path, other: Path) -> Iterator[ScoredVideo]:
    """Score each video of `other` against the reference of the same name; errors name the file."""
    for name, first, second in match_videos(reference, other):
        clips = read_video(first), read_video(second)
        if clips[0].shape != clips[1].shape:
            raise ValueError(
                f"{first} is {_describe_size(clips[0])} and {second} {_describe_size(clips[1])}: they must be the same"
            )
        try:
            yield ScoredVideo(name, compare(*clips))
        except ValueError as error:
            raise ValueError(f"{second} cannot be compared with {first}: {error}") from error


def estimate_means(scored_videos: Sequence[ScoredVideo]) -> dict[str, MeanEstimate | None]:
    """Estimate the mean of every score over the videos; None if a video has no such score."""
    columns = {name: [getattr(video.scores, name) for video in scored_videos] for name in SCORE_NAMES}
    return {name: None if None in values else estimate_mean(values) for name, values in columns.items()}


def build_json_document(scored_videos: Sequence[ScoredVideo], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Build the document that `--json` prints: metadata, means and the scores of every video."""
    means = {name: None if found is None else found._asdict() for name, found in estimate_means(scored_videos).items()}
    videos = [{"name": video.name, **video.scores.to_dict()} for video in scored_videos]
    return {**metadata, "mean": means, "videos": videos}


def format_csv(scored_videos: Sequence[ScoredVideo]) -> str:
    """One line per video; an empty cell means that the score is not available."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["name", *SCORE_NAMES])
    writer.writerows([video.name, *(getattr(video.scores, name) for name in SCORE_NAMES)] for video in scored_videos)
    return text.getvalue()


def _describe_size(clip: Any) -> str:
    frames, height, width, _ = clip.shape
    return f"{frames} frames of {width}x{height}"
