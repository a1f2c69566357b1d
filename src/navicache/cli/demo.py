"""`navicache demo`: two prompts of an embedded model with and without the cache, and a page that compares them."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from navicache.cli.options import add_cache_options, parse_positive_int, read_cache_options
from navicache.generation.job import POCKET, GenerationJob, ModelSource

PROMPTS = 2
LEAD = (
    "{model} is a small but real text-to-{kind} model that comes with navicache. Each prompt ran twice with the same "
    "noise: once as it is, once with the cache. Seconds are of this machine, of the whole call from prompt to frames."
)


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("--out", type=Path, default=Path("outputs/demo"), help="folder to write to (%(default)s)")
    parser.add_argument("--model", default=POCKET, help="pocket, or pocket:NAME of its family (%(default)s)")
    parser.add_argument("--steps", type=parse_positive_int, help="denoising steps (the model's own)")
    add_cache_options(parser)


def run(options: argparse.Namespace) -> int:
    """Generate both prompts twice, write the page, and print a table."""
    from navicache.generation.session import generate_prompt_results
    from navicache.generation.summary import describe_result

    job, lead = read_job(options)
    results = []
    for result in generate_prompt_results(job):
        print(describe_result(result), flush=True)
        results.append(result)
    page = write_page(results, options.out / "index.html", lead)
    print("\n" + "\n".join(format_closing_table(results)))
    print(f"\nopen {page}")
    return 0


def read_job(options: argparse.Namespace) -> tuple[GenerationJob, str]:
    """The options as a job, and the introduction of the page."""
    from navicache.pocket import PROMPTS as EXAMPLES

    source = ModelSource(options.model)
    member = source.member
    if member is None:
        raise ValueError(
            f"the demo shows embedded models: give --model pocket or pocket:NAME, or use `navicache generate "
            f"--compare --model {options.model}`"
        )
    steps = {} if options.steps is None else {"num_inference_steps": options.steps}
    arguments, caching = {**member.call, **steps}, read_cache_options(options)
    job = GenerationJob(source, EXAMPLES[:PROMPTS], arguments, caching, options.out, fps=member.fps, compare=True)
    return job, LEAD.format(model="The pocket" if source.model == POCKET else source.model, kind=member.kind)


def format_closing_table(results: Sequence[Any]) -> list[str]:
    """The closing table, and why a column may be empty."""
    from navicache.generation.summary import result_figures
    from navicache.records.text_table import TextColumn, format_table_lines

    rows = [result_figures(result) for result in results]
    columns = [TextColumn(name.replace(" ", "\n"), [row[name] for row in rows], name == "prompt") for name in rows[0]]
    missing = {f"LPIPS: {r.quality.lpips_missing}": None for r in results if r.quality.lpips is None}
    return [*format_table_lines(columns), *missing]


def write_page(results: Sequence[Any], path: Path, lead: str) -> Path:
    """Write all results to one page."""
    from navicache.generation.summary import result_figures
    from navicache.report.demo_page import DemoCard, save_demo_page

    cards = []
    for result in results:
        files = result.files
        pictures = files["plain"], files["cached"], files["side by side"], files["plot"]
        cards.append(DemoCard(result.prompt, result_figures(result), *pictures, result.pair.trace.runs[-1]))
    save_demo_page(path, lead, cards)
    return path
