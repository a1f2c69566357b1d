"""`navicache weights`: fetch once what a metric needs and this package does not carry."""

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of the subcommand."""
    parser.add_argument("which", choices=["lpips"], help="what to fetch")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="folder to write to (the user's cache folder)")
    parser.add_argument(
        "--from",
        dest="files",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="take local files and no network: what this command wrote elsewhere, or the published files",
    )


def run(options: argparse.Namespace) -> int:
    """Install the weights and say where they are."""
    from navicache.evaluation.lpips_weights import FILE_NAME, default_path, install

    path = default_path() if options.out is None else options.out / FILE_NAME
    install(path, options.files, lambda line: print(line, flush=True))
    if path.absolute() != default_path():
        print(f"LPIPS looks for it at {default_path()}: set NAVICACHE_HOME={path.absolute().parent}, or move it there")
    return 0
