"""Deprecated: this is `python -m navicache_pocket.train` now."""

import runpy
import sys

if __name__ == "__main__":
    print("deprecated: use python -m navicache_pocket.train", file=sys.stderr)
    runpy.run_module("navicache_pocket.train", run_name="__main__", alter_sys=True)
