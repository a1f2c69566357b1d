"""The command line."""

from navicache.cli.main import main

__all__ = ["main"]
