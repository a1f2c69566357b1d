"""Other processes, none of which is waited for without a limit."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer


@contextmanager
def killed_after(process: subprocess.Popen[str], seconds: float) -> Iterator[None]:
    """Kill a process that takes longer: whoever reads from it then reads the end."""
    limit = Timer(seconds, process.kill)
    limit.start()
    try:
        yield
    finally:
        limit.cancel()
