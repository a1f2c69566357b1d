"""`python -m benchmarks.vbench`."""

import sys

from benchmarks.vbench.command import main

if __name__ == "__main__":
    sys.exit(main())
