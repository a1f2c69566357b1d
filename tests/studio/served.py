"""The studio in a process of its own that cannot leave this machine."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.report.browser import find_browser

LEFT = "WANTED TO LEAVE"
# Whoever looks up or connects to another machine is written down, and refused.
ALONE = f"""
import socket, sys
HERE = ("127.0.0.1", "localhost", "::1", "0.0.0.0", None, "")
def kept_in(ask, place):
    def asking(*given, **named):
        host = place(*given)
        host = host.decode() if isinstance(host, bytes) else host
        if host not in HERE:
            print("{LEFT}", host, flush=True)
            raise OSError("no network here")
        return ask(*given, **named)
    return asking
socket.getaddrinfo = kept_in(socket.getaddrinfo, lambda host, *_: host)
connect = socket.socket.connect
socket.socket.connect = kept_in(connect, lambda own, to: to[0] if isinstance(to, tuple) else None)
"""
STUDIO = "from navicache.cli import main; sys.exit(main(['studio', *sys.argv[1:]]))"
SPACE = "import runpy; runpy.run_path(sys.argv[1], run_name='__main__')"
STARTS = 600  # seconds: Gradio is imported for the first time
NEEDED = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("gradio") is None,
        reason="gradio is not installed: make test-studio has an environment with it",
    ),
    pytest.mark.skipif(find_browser() is None, reason="no Chromium found: apt install chromium brings it"),
]


class Studio:
    """A server, its address, what it has said, and what it holds; its folder is its only place for files."""

    def __init__(self, folder: Path, *options: str, begin: str = STUDIO) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address, self.log = f"http://127.0.0.1:{self.port}/", folder / "studio.log"
        self.room = folder / "room"
        self.room.mkdir()
        command = [sys.executable, "-c", ALONE + begin, *options]
        self._file = self.log.open("w")
        own = {"OMP_NUM_THREADS": "1", **os.environ, "TMPDIR": str(self.room), "GRADIO_SERVER_PORT": str(self.port)}
        self.process = subprocess.Popen(command, cwd=self.room, env=own, stdout=self._file, stderr=subprocess.STDOUT)

    def wait(self) -> None:
        end = time.monotonic() + STARTS
        while "open http" not in self.said():
            assert self.process.poll() is None and time.monotonic() < end, self.said()
            time.sleep(0.2)

    def said(self) -> str:
        return self.log.read_text()

    def wanted(self) -> list[str]:
        """The other machines that it wanted to reach."""
        return [line.removeprefix(LEFT).strip() for line in self.said().splitlines() if line.startswith(LEFT)]

    def files(self) -> set[Path]:
        return {path for path in self.room.rglob("*") if path.is_file()}

    def holds(self, what: str) -> int:
        """How many open files (fd) or threads (task) it has."""
        return len(list(Path(f"/proc/{self.process.pid}/{what}").iterdir()))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self._file.close()
