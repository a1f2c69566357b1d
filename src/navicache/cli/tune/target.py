"""What a search is for, read from the options; nothing here is slow to import."""

import argparse

from navicache.evaluation.tuning.targets import Target, parse_quality
from navicache.models import LPIPS_OF_QUALITY


def read_target(options: argparse.Namespace) -> Target:
    """The speed-up or the quality that is asked for; the word `high` if nothing is."""
    if options.speedup is not None:
        if options.speedup <= 1:
            raise ValueError(f"--speedup must be above 1, got {options.speedup:g}: 2 computes every other step")
        return Target(speedup=options.speedup)
    if options.quality is not None:
        return parse_quality(options.quality)
    return Target(metric="lpips", limit=LPIPS_OF_QUALITY[options.level or "high"])
