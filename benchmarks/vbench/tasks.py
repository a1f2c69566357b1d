"""Which videos of a setting a dimension of VBench takes, what lacks, and what is scored already."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.vbench.run import RawResults, ScoringFailed, VBenchInstall, score_dimension
from benchmarks.vbench.scores import DIMENSIONS, VBenchScores, aggregate_scores, save_scores
from benchmarks.vbench.videos import (
    BEFORE_FILTER,
    FLICKERING,
    SAMPLES,
    BenchVideo,
    Prompts,
    SettingVideos,
    fingerprint,
    lay_out_links,
)
from navicache.evaluation.bench.names import slug
from navicache.evaluation.bench.summaries import SettingPlace

LINKS = "videos"


@dataclass(frozen=True)
class VBenchScoring:
    """How every setting is scored, and where what comes of it is kept."""

    installed: VBenchInstall
    prompts: Prompts
    root: Path
    static_filter: bool = False  # VBench's own, of temporal_flickering

    def kept(self, shown: SettingVideos) -> RawResults:
        """The folder of a setting, named so that `--results` knows it too."""
        return RawResults(self.root / ".".join(shown.parts))

    def filters(self, dimension: str) -> bool:
        """Whether this dimension takes only still videos."""
        return self.static_filter and dimension == FLICKERING

    def samples(self, dimension: str) -> int:
        """Videos a prompt, as the protocol has it."""
        return BEFORE_FILTER if self.filters(dimension) else SAMPLES

    def wanted(self, dimension: str) -> int:
        """Videos in all, as the protocol has it."""
        return len(self.prompts[dimension]) * self.samples(dimension)

    def videos(self, shown: SettingVideos, dimension: str) -> dict[str, BenchVideo]:
        """Those that are there."""
        return shown.found(self.prompts[dimension], self.samples(dimension))

    def missing(self, shown: SettingVideos, dimension: str) -> list[str]:
        """The names of those that are not."""
        return shown.missing(self.prompts[dimension], self.samples(dimension))

    def facts(self, shown: SettingVideos, dimension: str) -> dict[str, Any]:
        """What a result depends on: it counts while these are the same."""
        videos = self.videos(shown, dimension)
        mark = {"videos": fingerprint(videos), "count": len(videos), "of": self.wanted(dimension)}
        return {**mark, "vbench": self.installed.version, "static_filter": self.filters(dimension)}

    def scores(self, shown: SettingVideos) -> dict[str, float]:
        """Of all dimensions that are scored."""
        kept = self.kept(shown)
        found = {name: kept.score(name, self.facts(shown, name)) for name in DIMENSIONS if kept.result(name).is_file()}
        return {name: value for name, value in found.items() if value is not None}

    def left(self, settings: Sequence[SettingVideos], dimensions: Sequence[str]) -> list[tuple[SettingVideos, str]]:
        """What is not scored yet and has videos."""
        done = {shown.place: self.scores(shown) for shown in settings}
        tasks = [(shown, name) for shown in settings for name in dimensions if name not in done[shown.place]]
        return [(shown, name) for shown, name in tasks if self.videos(shown, name)]

    def lay_out(self, shown: SettingVideos, dimension: str) -> Path:
        """The folder of links that VBench is shown."""
        folder = self.kept(shown).folder / LINKS / dimension
        lay_out_links(folder, self.videos(shown, dimension))
        return folder

    def gather(self, shown: SettingVideos) -> "ScoredSetting":
        """All that is known of a setting."""
        found = self.scores(shown)
        counts = {name: (len(self.videos(shown, name)), self.wanted(name)) for name in found}
        incomplete = {name: count for name, count in counts.items() if count[0] < count[1]}
        return ScoredSetting(shown.place, aggregate_scores(found), incomplete)

    def save(self, folder: Path, scored: Sequence["ScoredSetting"]) -> None:
        """Scores for the report; totals over missing videos are not among them, for they are not VBench's."""
        facts = {"vbench": self.installed.version, "static_filter": self.static_filter}
        about = {each.key: {"incomplete": each.incomplete, **facts} for each in scored}
        save_scores(folder, {each.key: each.published for each in scored}, about)


@dataclass(frozen=True)
class ScoredSetting:
    """The scores of a setting, and the dimensions that had fewer videos than the protocol has: so many of so many."""

    place: SettingPlace
    scores: VBenchScores
    incomplete: Mapping[str, tuple[int, int]]

    @property
    def key(self) -> str:
        """What the report knows it by."""
        return "/".join(map(slug, self.place))

    @property
    def published(self) -> VBenchScores:
        """The same, with such totals alone as VBench would publish."""
        whole = {name: value for name, value in self.scores.dimensions.items() if name not in self.incomplete}
        return replace(aggregate_scores(whole), dimensions=self.scores.dimensions)


def score_tasks(
    scoring: VBenchScoring, tasks: Sequence[tuple[SettingVideos, str]], tell: Callable[[str], None] = lambda _: None
) -> Iterator[tuple[SettingVideos, str, str | None]]:
    """One after the other, each with the reason where it failed; `tell` hears what begins."""
    for shown, dimension in tasks:
        tell(f"{shown.place[-1]}: {dimension}")
        videos = scoring.lay_out(shown, dimension)
        facts = scoring.facts(shown, dimension)
        try:
            score_dimension(scoring.installed, scoring.kept(shown), dimension, facts, videos)
        except ScoringFailed as error:
            yield shown, dimension, str(error)
        else:
            yield shown, dimension, None
