"""Build the page of a report from its results."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path

from navicache.cli.bench.regret_table import find_own_regret
from navicache.cli.report.results import FOLDER, BenchResults
from navicache.cli.report.row_files import PAGE_FIELDS, check_fields
from navicache.cli.report.sections import SECTIONS, MakeSection
from navicache.cli.report.videos import build_prompt_views, build_video_addresses, select_groups_with_videos
from navicache.evaluation.bench.session import ROWS
from navicache.evaluation.bench.summaries import SettingSummary
from navicache.report.page_model import HeadlineTile, ReportPage

SPEED_WORDS = {"speedup": "whole call", "loop_speedup": "in the denoising loop", "cpu_speedup": "in CPU time"}
MOST_BELIEVED = 1.05  # times what the computed steps allow
TIMES = "Seconds are of the whole call, from prompt to frames; loop seconds of its denoising loop alone."
NO_TIMES = "Batches have no times: compare the computed steps."
LEAST_SPEEDUP = 1.5  # a setting that saves less makes no headline


@dataclass(frozen=True)
class PageOptions:
    """What the user chooses about the page."""

    title: str
    players: int  # prompts of each model and condition
    videos: str  # "inside", "beside" or "auto"
    folder: Path  # of the page
    choice: str = ""  # setting of the headline and the players, in place of the one with the best PSNR


def build_page(results: BenchResults, options: PageOptions, made: Mapping[str, MakeSection] = SECTIONS) -> ReportPage:
    """The page with every section that has something to show."""
    for row in results.rows:
        check_fields(row, PAGE_FIELDS, row[FOLDER] / ROWS)
    best = choose_best_setting(results.summaries, results.speed_figure, options.choice)
    sections = [section for make in made.values() if (section := make(results)) is not None]
    shown = select_groups_with_videos(results.rows, options.players)
    return ReportPage(
        title=options.title,
        headline=write_headline(best, results.speed_figure) if results.has_times else write_equal_headline(results),
        lead=write_introduction(results),
        tiles=build_tiles(results, best) if results.has_times else build_equal_tiles(results),
        sections=tuple(sections),
        prompts=build_prompt_views(results, shown, best),
        videos=build_video_addresses([row for rows in shown for row in rows], options.videos, options.folder),
        footer=write_footer(results),
        plan="\n".join(results.plans),
    )


def choose_best_setting(summaries: Sequence[SettingSummary], speed: str, choice: str = "") -> SettingSummary | None:
    """The chosen setting, or the one with the best PSNR among those that are fast enough for a headline."""
    if chosen := [summary for summary in summaries if summary.place[2] == choice]:
        return chosen[0]
    fast = [s for s in summaries if (s.mean(speed) or 0) >= LEAST_SPEEDUP and "psnr" in s.figures]
    return max(fast, key=lambda summary: summary.mean("psnr") or 0, default=None)


def write_headline(best: SettingSummary | None, speed: str) -> str:
    """The headline: the best setting, its speed-up and its PSNR."""
    if best is None:
        return f"No setting was measured to be {LEAST_SPEEDUP:g} times as fast"
    model, _, setting = best.place
    return f"{setting}: {best.mean(speed):.2f} times as fast on {model}, {best.mean('psnr'):.1f} dB to the original"


def write_introduction(results: BenchResults) -> str:
    """What was measured, and on which machine."""
    prompts, seeds = ({row[name] for row in results.rows} for name in ("prompt", "seed"))
    machine = results.rows[0]["machine"]
    settings = count_things(results.summaries, "setting")
    timing = "timed side by side" if results.has_times else "many prompts in one call"
    return (
        f"{settings} on {count_things(prompts, 'prompt')} with {count_things(seeds, 'seed')}, each "
        f"compared with the same prompt and noise without a cache, {timing} on {machine['name']} "
        f"({machine['device']}, threads: {machine['threads']}). {TIMES if results.has_times else NO_TIMES} "
        f"Small figures are 95 % bootstrap intervals over prompts and seeds.{_timing_caution(results.summaries)}"
    )


def write_equal_headline(results: BenchResults) -> str:
    """The headline of a page of batches, which have no times."""
    own = find_own_regret(results.regrets) if results.leads.counted else None
    if own is None:
        return "Quality and computed steps of every setting"
    regret = f"at most {own.worst[0]:.1f} dB below the best of everything measured, {own.mean():.1f} on average"
    return f"{results.ours[0].capitalize()} is {regret}"


def build_equal_tiles(results: BenchResults) -> tuple[HeadlineTile, ...]:
    """The tiles of a page of batches: the regret of the plan's own policy, and in how many cells it is behind."""
    own = find_own_regret(results.regrets) if results.leads.counted else None
    if own is None:
        return ()
    counts = (
        (len(found), f"behind another policy by more than {bar} dB") for bar, found in results.leads.behind.items()
    )
    return (
        HeadlineTile(f"{own.worst[0]:.1f} dB", f"worst regret of {results.ours[0]}", own.worst[1]),
        HeadlineTile(f"{own.mean():.1f} dB", f"mean regret of {len(own.known)} cells and budgets"),
        *(HeadlineTile(str(count), words) for count, words in counts),
    )


def _timing_caution(summaries: Sequence[SettingSummary]) -> str:
    """A warning if measured speed-ups exceed what the computed steps allow."""
    plain = {s.place[:2]: s.mean("computed") for s in summaries if s.first["kind"] == "baseline"}
    whole = (summary for summary in summaries if not summary.first["steps"]["partial"])
    allowed = [(s, (plain.get(s.place[:2]) or 0) / (s.mean("computed") or 1)) for s in whole]
    if not any((s.mean("loop_speedup") or 0) > MOST_BELIEVED * most for s, most in allowed if most):
        return ""
    return " Some speed-ups exceed what the computed steps allow: the clock was not quiet, so trust the steps more."


def count_things(things: Sized, word: str) -> str:
    """A number with its noun, in singular or plural."""
    return f"{len(things)} {word}{'s' if len(things) != 1 else ''}"


def build_tiles(results: BenchResults, best: SettingSummary | None) -> tuple[HeadlineTile, ...]:
    """Four figures at a glance."""
    if best is None:
        return ()
    own = (summary for summary in results.summaries if summary.place[:2] == best.place[:2])
    plain = next((summary for summary in own if summary.first["kind"] == "baseline"), None)
    total = best.first["steps"]["total"]
    more = f"{best.mean('speedup') or 0:.2f}× by the clock, whole call"
    found = [
        HeadlineTile(f"{best.mean(results.speed_figure):.2f}×", f"as fast, {SPEED_WORDS[results.speed_figure]}", more),
        HeadlineTile(f"{best.mean('psnr'):.1f} dB", "PSNR to the original", _format_quality(best)),
        HeadlineTile(f"{best.mean('computed'):.0f} of {total}", "steps computed", "the others were predicted"),
    ]
    if plain is not None and plain.mean("seconds"):
        instead = f"instead of {plain.mean('seconds'):.1f} s"
        found.append(HeadlineTile(f"{best.mean('seconds'):.1f} s", "a video", instead))
    return tuple(found)


def _format_quality(best: SettingSummary) -> str:
    known = (("SSIM", best.mean("ssim"), ".3f"), ("LPIPS", best.mean("lpips"), ".4f"))
    return ", ".join(f"{name} {value:{form}}" for name, value, form in known if value is not None)


def write_footer(results: BenchResults) -> tuple[str, ...]:
    """How to make the page again, and what it costs to measure."""
    row, timed = results.rows[0], [r for r in results.rows if r["seconds"]]  # settings of a shared call have no seconds
    share = sum(r["harness_seconds"] for r in timed) / sum(r["seconds"]["call"] for r in timed)
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    return (
        f"Made by `navicache bench PLAN.toml`, then `navicache report RESULTS`; {versions}.",
        f"Beside generating, scoring and writing took {share:.1%} of the generation time.",
    )
