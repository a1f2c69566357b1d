"""The command line: `navicache SUBCOMMAND`; each subcommand is a file that owns its options and its work."""

import argparse
from collections.abc import Sequence

from navicache import __version__
from navicache.cli import demo, weights

COMMANDS = {
    "demo": (demo, "generate with and without the cache on a small model, and show what happened"),
    "weights": (weights, "fetch the weights of LPIPS, once"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status."""
    parser = argparse.ArgumentParser(prog="navicache", description="Faster video diffusion, calibrated as it runs.")
    parser.add_argument("--version", action="version", version=f"navicache {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="SUBCOMMAND")
    for name, (command, summary) in COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=summary, description=summary))
    options = parser.parse_args(arguments)
    try:
        return COMMANDS[options.command][0].run(options)
    except (ValueError, TypeError, ImportError, OSError) as error:
        parser.exit(2, f"navicache {options.command}: {error}\n")
