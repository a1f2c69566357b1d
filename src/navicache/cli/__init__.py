"""The command line: one module or folder for each subcommand of `navicache`."""

from navicache.cli.main import main

__all__ = ["main"]
