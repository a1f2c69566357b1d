"""`python -m benchmarks.vbench`: the installed VBench on the videos of a benchmark; run it again to go on."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MODULE = "benchmarks.vbench"
FOLDER = "vbench"  # in the results: links to the videos, raw results, logs
FAILED, INTERRUPTED = 1, 130  # exit statuses
MISSING_ADVICE = (
    "finish `navicache bench` (five seeds, VBench's prompts, all `videos`), or score what is there: --incomplete"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    results = "folders that `navicache bench` wrote; several are taken together, and the scores go to the first"
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS", help=results)
    parser.add_argument("--dimensions", nargs="+", metavar="NAME", help="of VBench, these alone (all 16)")
    python = "of the environment that has VBench (the one that runs this)"
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help=python)
    only = "models=, conditions= or settings= and names, as in `navicache bench`: these alone; repeatable"
    parser.add_argument("--only", action="append", default=[], metavar="KIND=NAMES", help=only)
    incomplete = (
        "score what is there, though videos are missing; such scores are marked, and have no total in the report"
    )
    parser.add_argument("--incomplete", action="store_true", help=incomplete)
    still = "before temporal_flickering, leave out videos that move, as published (25 seeds; needs a GPU)"
    parser.add_argument("--static-filter", action="store_true", help=still)
    parser.add_argument("--list", action="store_true", help="only say what would be scored, and what is missing for it")
    taken = "score nothing: take in the scores that VBench has written there for the videos of this benchmark"
    parser.add_argument("--results", dest="taken", type=Path, metavar="DIR", help=taken)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(prog=f"python -m {MODULE}", description=__doc__)
    add_arguments(parser)
    try:
        return run(parser.parse_args(arguments))
    except (ValueError, OSError) as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    except KeyboardInterrupt:
        parser.exit(INTERRUPTED, f"\n{parser.prog}: interrupted; nothing half-written is left\n")


def run(options: argparse.Namespace) -> int:
    """Look whether all is there, score what is left, and close with a table."""
    from benchmarks.vbench.videos import choose_settings, read_settings
    from navicache.cli.bench.job_list import join_problems

    dimensions = choose_dimensions(options.dimensions)
    folders = [folder.resolve() for folder in options.results]
    settings = choose_settings(read_settings(folders), options.only)
    if options.taken:
        return import_scores(options.taken, settings, folders[0])
    scoring = prepare_scoring(options, folders[0], dimensions)
    problems = [
        *list_broken_dimensions(scoring),
        *list_missing_videos(scoring, settings, dimensions, options.incomplete),
    ]
    if options.list:
        return list_scoring(scoring, settings, dimensions, problems)
    if problems:
        raise ValueError(join_problems(problems))
    failures = score_all(scoring, settings, dimensions)
    save_and_print(scoring, settings, folders[0])
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    if failures:
        print("run the same command again to try what failed; all else stays", file=sys.stderr)
    return FAILED if failures else 0


def import_scores(source: Path, settings: Sequence[Any], folder: Path) -> int:
    """Scores that VBench wrote elsewhere, into the results."""
    from benchmarks.vbench.scores import read_results, save_scores

    scores = read_results(source, {".".join(shown.parts): "/".join(shown.parts) for shown in settings})
    save_scores(folder, scores)
    print(f"VBench's scores of {len(scores)} settings taken in")
    return 0


def choose_dimensions(names: Sequence[str] | None) -> tuple[str, ...]:
    """Those asked for, in VBench's order; all where none is."""
    from benchmarks.vbench.scores import DIMENSIONS, aggregate_scores

    aggregate_scores(dict.fromkeys(names or (), 0.0))  # refuses a name it does not know
    return tuple(name for name in DIMENSIONS if not names or name in names)


def prepare_scoring(options: argparse.Namespace, folder: Path, dimensions: tuple[str, ...]) -> Any:
    """VBench as it is installed, its prompts, and where results are kept."""
    from benchmarks.vbench.run import inspect_vbench
    from benchmarks.vbench.tasks import VBenchScoring
    from benchmarks.vbench.videos import read_prompts

    installed = inspect_vbench(options.python, dimensions)
    return VBenchScoring(installed, read_prompts(installed.prompts), folder / FOLDER, options.static_filter)


def list_broken_dimensions(scoring: Any) -> list[str]:
    """Dimensions whose packages are not all there, by what is wrong."""
    reasons: dict[str, list[str]] = {}
    for dimension, reason in scoring.installed.broken.items():
        reasons.setdefault(reason, []).append(dimension)
    advice = f"install it in {scoring.installed.python}, or name other --dimensions"
    return [f"{', '.join(names)} cannot be imported ({reason}): {advice}" for reason, names in reasons.items()]


def list_missing_videos(
    scoring: Any, settings: Sequence[Any], dimensions: Sequence[str], incomplete: bool
) -> list[str]:
    """Settings with videos missing, together where they lack the same; where that is allowed, those without any."""
    from benchmarks.vbench.table import join_places

    found: dict[str, list[Any]] = {}
    for shown in settings:
        missing = {name: names for name in dimensions if (names := scoring.missing(shown, name))}
        if missing and not (incomplete and any(scoring.videos(shown, name) for name in dimensions)):
            counts = ", ".join(f"{name} ({len(names)} of {scoring.wanted(name)})" for name, names in missing.items())
            example = next(iter(missing.values()))[0]
            found.setdefault(f"videos are missing for {counts}, as {example!r}: {MISSING_ADVICE}", []).append(shown)
    return [f"{join_places(own)}: {reason}" for reason, own in found.items()]


def list_scoring(scoring: Any, settings: Sequence[Any], dimensions: Sequence[str], problems: Sequence[str]) -> int:
    """What would be scored, and nothing runs; 2 when something is wrong."""
    from benchmarks.vbench.table import video_table
    from navicache.cli.bench.job_list import FAILED_CHECK

    print("\n".join(video_table(scoring, settings, dimensions)))
    print(f"{len(scoring.left(settings, dimensions))} to score with VBench {scoring.installed.version}")
    for problem in problems:
        print(f"wrong: {problem}", file=sys.stderr)
    return FAILED_CHECK if problems else 0


def score_all(scoring: Any, settings: Sequence[Any], dimensions: Sequence[str]) -> list[str]:
    """Everything that is left, behind one bar; says what failed."""
    from tqdm import tqdm

    from benchmarks.vbench.tasks import score_tasks
    from navicache.evaluation.bench.session import lock_folder
    from navicache.generation.progress import bar_options

    scoring.root.mkdir(exist_ok=True)
    with lock_folder(scoring.root, ""):
        tasks = scoring.left(settings, dimensions)
        total = sum(bool(scoring.videos(shown, name)) for shown in settings for name in dimensions)
        failures: list[str] = []
        with tqdm(desc="VBench", unit="dimension", total=total, initial=total - len(tasks), **bar_options()) as bar:
            for shown, dimension, reason in score_tasks(scoring, tasks, bar.set_postfix_str):
                failures += [f"{dimension} of {' / '.join(shown.place)}: {reason}"] if reason else []
                bar.update()
    return failures


def save_and_print(scoring: Any, settings: Sequence[Any], folder: Path) -> None:
    """The scores into the results, and on the screen."""
    from benchmarks.vbench.table import UNFILTERED, score_table
    from benchmarks.vbench.videos import FLICKERING

    scored = [scoring.gather(shown) for shown in settings]
    scoring.save(folder, [each for each in scored if each.scores.dimensions])
    print("\n".join(score_table(scored)))
    if not scoring.static_filter and any(FLICKERING in each.scores.dimensions for each in scored):
        print(UNFILTERED)
    print(f"\nVBench {scoring.installed.version}, raw results in {scoring.root}")
    print(f"look at all with: navicache report {folder}")
