"""A page of several plans, each a chapter of its own: the paper's studies side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchmarks.paper.sections import PAPER_SECTIONS
from navicache.cli.report.page import PageOptions, count_things, write_footer, write_introduction
from navicache.cli.report.results import BenchResults
from navicache.cli.report.videos import build_prompt_views, build_video_addresses, select_groups_with_videos
from navicache.evaluation.bench.names import slug
from navicache.evaluation.bench.plan import PageChapter
from navicache.evaluation.bench.plan_file import parse_plan
from navicache.evaluation.bench.summaries import SettingSummary
from navicache.policies.knob_checks import check_choice
from navicache.report.inline_svg import prefix_ids
from navicache.report.page_model import HeadlineTile, PageChart, PageSection, ReportPage

PUBLISHED = "Published figures are those of their authors on their machines; they are marked and set in italics."
LEAST_SAVING = 2.0  # times fewer computed steps: who saves less makes no headline
SUBJECT = "navicache"  # the policy that the paper is about


def read_chapter(results: BenchResults) -> PageChapter:
    """The chapter that its plan describes."""
    return parse_plan(results.plans[0]).chapter if len(results.plans) == 1 else PageChapter()


def has_chapters(parts: Sequence[BenchResults]) -> bool:
    """Whether these plans are chapters of one page."""
    return len(parts) > 1 and all(read_chapter(part).title for part in parts)


def build_chapters(parts: Sequence[BenchResults], options: PageOptions) -> ReportPage:
    """The page; the first plan has the players and the figures at the top."""
    first = parts[0]
    shown = select_groups_with_videos(first.rows, options.players)
    models = dict.fromkeys(row["model"] for part in parts for row in part.rows)
    return ReportPage(
        title=options.title,
        headline=f"{len(parts)} studies on {', '.join(models)}",
        lead=write_introduction(first),
        tiles=tuple(_best_tile(first, model) for model in dict.fromkeys(row["model"] for row in first.rows)),
        sections=tuple(section for part in parts for section in build_chapter(part)),
        prompts=build_prompt_views(first, shown, None),
        videos=build_video_addresses([row for rows in shown for row in rows], options.videos, options.folder),
        footer=(*write_footer(first), PUBLISHED),
        plan="\n".join(plan for part in parts for plan in part.plans),
    )


def build_chapter(part: BenchResults) -> Iterator[PageSection]:
    """Its heading, then those of its sections that its plan wants shown, their names its own."""
    described = read_chapter(part)
    name = slug(described.title)
    yield PageSection(name, described.title, f"{described.text} {count_runs(part)}")
    for anchor in described.shows:
        check_choice(f"chapter.shows of {part.name!r}", anchor, tuple(PAPER_SECTIONS))
    wanted = (make for anchor, make in PAPER_SECTIONS.items() if not described.shows or anchor in described.shows)
    for make in wanted:
        if (section := make(part)) is not None:
            charts = tuple(_prefix_chart(chart, name) for chart in section.charts)
            yield replace(section, anchor=f"{name}-{section.anchor}", charts=charts, inner=True)


def count_runs(part: BenchResults) -> str:
    """How much was measured, and on what."""
    prompts = {row["prompt"] for row in part.rows}
    machines = dict.fromkeys(row["machine"]["name"] for row in part.rows)
    return f"{count_things(prompts, 'prompt')}; {', '.join(machines)}."


def _prefix_chart(chart: PageChart, name: str) -> PageChart:
    return replace(chart, svg=prefix_ids(chart.svg, name))


def _best_tile(results: BenchResults, model: str) -> HeadlineTile:
    """Of the paper's settings that compute half of the steps or fewer, the one nearest to the original."""
    fast = [s for s in results.summaries if s.place[0] == model and (s.mean("allowed") or 0) >= LEAST_SAVING]
    own = [summary for summary in fast if summary.first["policy"] == SUBJECT]
    best = max(own, key=lambda summary: summary.mean("psnr") or 0, default=None)
    return HeadlineTile("none", f"of NaviCache: half of {model}'s steps") if best is None else _setting_tile(best)


def _setting_tile(best: SettingSummary) -> HeadlineTile:
    model, _, setting = best.place
    computed = f"{best.mean('computed'):.0f} of {best.first['steps']['total']} steps"
    loop = best.mean("loop_speedup")
    more = computed if loop is None else f"{computed}, {loop:.2f}× in the loop by the clock"
    return HeadlineTile(f"{best.mean('psnr'):.1f} dB", f"{setting} on {model}", more)
