"""`navicache weights`, deprecated: the weights of LPIPS come with `navicache-pocket`."""

import argparse
import sys


def add_subcommand_options(parser: argparse.ArgumentParser) -> None:
    """Take what earlier versions took, and use none of it."""
    parser.add_argument("ignored", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Say whether the weights are there; if not, the error says what to install."""
    from navicache.evaluation.lpips_weights import load

    del options
    print("navicache weights is deprecated: navicache-pocket brings the weights of LPIPS", file=sys.stderr)
    load()
    print("the weights of LPIPS are installed")
    return 0
