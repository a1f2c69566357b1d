"""A page from results: the headline, and every section that has something to show."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path

from navicache.cli.report.results import Results
from navicache.cli.report.sections import SECTIONS, MakeSection
from navicache.cli.report.videos import addresses, prompt_views, shown_groups
from navicache.evaluation.bench.leads import Verdict
from navicache.evaluation.bench.study import Summary
from navicache.report.page_model import Page, Tile

SPEED_WORDS = {"speedup": "whole call", "loop_speedup": "in the denoising loop", "cpu_speedup": "in CPU time"}
BELIEVED = 1.05  # times what the computed steps allow
TIMES = "Seconds are of the whole call, from prompt to frames; loop seconds of its denoising loop alone."
NO_TIMES = "Batches have no times of their own: look at the computed steps."
LEAST_SPEEDUP = 1.5  # a setting that saves less makes no headline


@dataclass(frozen=True)
class Look:
    """What the user may choose about the page."""

    title: str
    players: int  # prompts of each model and condition
    videos: str  # "inside", "beside" or "auto"
    folder: Path  # of the page


def build(results: Results, look: Look, made: Mapping[str, MakeSection] = SECTIONS) -> Page:
    """Everything the page shows."""
    best = headliner(results.summaries, results.speed)
    sections = [section for make in made.values() if (section := make(results)) is not None]
    shown = shown_groups(results.rows, look.players)
    return Page(
        title=look.title,
        headline=headline(best, results.speed) if results.timed else equal_headline(results.verdict),
        lead=lead(results),
        tiles=tiles(results, best) if results.timed else equal_tiles(results.verdict),
        sections=tuple(sections),
        prompts=prompt_views(results, shown, best),
        videos=addresses([row for rows in shown for row in rows], look.videos, look.folder),
        footer=footer(results),
        plan="\n".join(results.plans),
    )


def headliner(summaries: Sequence[Summary], speed: str) -> Summary | None:
    """Of the settings that save a third or more, the one nearest to the original."""
    fast = [s for s in summaries if (s.mean(speed) or 0) >= LEAST_SPEEDUP and "psnr" in s.figures]
    return max(fast, key=lambda summary: summary.mean("psnr") or 0, default=None)


def headline(best: Summary | None, speed: str) -> str:
    """The page in one sentence."""
    if best is None:
        return f"No setting was measured to be {LEAST_SPEEDUP:g} times as fast"
    model, _, setting = best.place
    return f"{setting}: {best.mean(speed):.2f} times as fast on {model}, {best.mean('psnr'):.1f} dB to the original"


def lead(results: Results) -> str:
    """What was measured, on what."""
    prompts, seeds = ({row[name] for row in results.rows} for name in ("prompt", "seed"))
    machine = results.rows[0]["machine"]
    return (
        f"{many(results.summaries, 'setting')} on {many(prompts, 'prompt')} with {many(seeds, 'seed')}, each "
        f"compared with the same prompt and noise without a cache, {_how(results)} on {machine['name']} "
        f"({machine['device']}, threads: {machine['threads']}). {TIMES if results.timed else NO_TIMES} "
        f"Small figures are 95 % bootstrap intervals over prompts and seeds.{_caution(results.summaries)}"
    )


def _how(results: Results) -> str:
    return "timed side by side" if results.timed else "many prompts in one call"


def equal_headline(verdict: Verdict) -> str:
    """A page of batches in one sentence."""
    if not verdict.counted:
        return "Quality and computed steps of every setting"
    cells = f"{verdict.best} of {verdict.counted} cells and budgets"
    return f"{verdict.ours.capitalize()} is ahead of every other policy in {cells}"


def equal_tiles(verdict: Verdict) -> tuple[Tile, ...]:
    """What the table at equal computed steps comes to."""
    if not verdict.counted:
        return ()
    behind = [Tile(str(len(found)), f"behind by more than {bar} dB") for bar, found in verdict.behind.items()]
    forms = f"of its own other forms too in {verdict.best_of_all}"
    ahead = f"cells and budgets where {verdict.ours} is ahead of every other policy, at equal computed steps"
    return (Tile(f"{verdict.best} of {verdict.counted}", ahead, forms), *behind)


def _caution(summaries: Sequence[Summary]) -> str:
    """Said where the clock claims more than the steps allow: the machine was busy with something else at times."""
    plain = {s.place[:2]: s.mean("computed") for s in summaries if s.first["kind"] == "baseline"}
    allowed = [
        (s, (plain.get(s.place[:2]) or 0) / (s.mean("computed") or 1))
        for s in summaries
        if not s.first["steps"]["partial"]
    ]
    if not any((s.mean("loop_speedup") or 0) > BELIEVED * most for s, most in allowed if most):
        return ""
    return " Some speed-ups exceed what the computed steps allow: the clock was not quiet, so trust the steps more."


def many(things: Sized, word: str) -> str:
    """How many of something, in words."""
    return f"{len(things)} {word}{'s' if len(things) != 1 else ''}"


def tiles(results: Results, best: Summary | None) -> tuple[Tile, ...]:
    """Four figures at a glance."""
    if best is None:
        return ()
    plain = next(
        (s for s in results.summaries if s.place[:2] == best.place[:2] and s.first["kind"] == "baseline"), None
    )
    total = best.first["steps"]["total"]
    more = f"{best.mean('speedup') or 0:.2f}× by the clock, whole call"
    found = [
        Tile(f"{best.mean(results.speed):.2f}×", f"as fast, {SPEED_WORDS[results.speed]}", more),
        Tile(f"{best.mean('psnr'):.1f} dB", "PSNR to the original", _quality(best)),
        Tile(f"{best.mean('computed'):.0f} of {total}", "steps computed", "the others were predicted"),
    ]
    if plain is not None and plain.mean("seconds"):
        found.append(Tile(f"{best.mean('seconds'):.1f} s", "a video", f"instead of {plain.mean('seconds'):.1f} s"))
    return tuple(found)


def _quality(best: Summary) -> str:
    known = (("SSIM", best.mean("ssim"), ".3f"), ("LPIPS", best.mean("lpips"), ".4f"))
    return ", ".join(f"{name} {value:{form}}" for name, value, form in known if value is not None)


def footer(results: Results) -> tuple[str, ...]:
    """How to make the page again, and what it costs to measure."""
    row = results.rows[0]
    share = sum(r["harness_seconds"] for r in results.rows) / sum(r["seconds"]["call"] for r in results.rows)
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    return (
        f"Made by `navicache bench PLAN.toml`, then `navicache report RESULTS`; {versions}.",
        f"Beside generating, scoring and writing took {share:.1%} of the generation time.",
    )
