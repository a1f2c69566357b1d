"""Replace `<!-- commands -->` in a page by the `--help` of every subcommand."""

import argparse
from functools import partial
from typing import Any

from navicache.cli.main import COMMANDS, import_command

PLACEHOLDER = "<!-- commands -->"
HELP_WIDTH = 100


def build_parser(name: str) -> argparse.ArgumentParser:
    """Build the parser of a subcommand with a fixed help width, independent of the terminal."""
    command, summary = import_command(name), COMMANDS[name][1]
    form = partial(argparse.HelpFormatter, width=HELP_WIDTH, max_help_position=32)
    made = argparse.ArgumentParser(prog=f"navicache {name}", description=summary, formatter_class=form)
    command.add_subcommand_options(made)
    return made


def format_sections() -> str:
    """A section for every subcommand, in the order of `navicache --help`."""
    return "\n".join(f"## navicache {name}\n\n```text\n{build_parser(name).format_help()}```\n" for name in COMMANDS)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for every page."""
    return markdown.replace(PLACEHOLDER, format_sections()) if PLACEHOLDER in markdown else markdown
