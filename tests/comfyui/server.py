"""A real ComfyUI in a process of its own, spoken to over HTTP as its page does."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKS = {"navicache": ROOT / "comfyui", "pocket": Path(__file__).parent / "nodes"}
START, RUN = 600.0, 1800.0  # seconds, on a busy machine


@dataclass(frozen=True)
class Server:
    """Where it listens."""

    address: str

    def get(self, path: str) -> bytes:
        """Any page of it."""
        with urllib.request.urlopen(f"{self.address}/{path}", timeout=60) as answer:
            return answer.read()

    def ask(self, path: str) -> Any:
        """Any page of it that is JSON."""
        return json.loads(self.get(path))

    def post(self, path: str, document: dict[str, Any]) -> tuple[int, Any]:
        """The status, and what it says; a refusal is an answer too."""
        body, head = json.dumps(document).encode(), {"Content-Type": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(f"{self.address}/{path}", body, head)) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def run(self, graph: dict[str, Any]) -> dict[str, Any]:
        """Queue a graph and wait: what its entry in the history says."""
        status, answer = self.post("prompt", {"prompt": graph, "client_id": uuid.uuid4().hex})
        assert status == 200, answer
        return self.wait(answer["prompt_id"])

    def wait(self, prompt: str) -> dict[str, Any]:
        """The history of a queued graph, once it is done."""
        end = time.monotonic() + RUN
        while time.monotonic() < end:
            if entry := self.ask(f"history/{prompt}").get(prompt):
                return entry
            time.sleep(0.2)
        raise TimeoutError(f"ComfyUI did not finish within {RUN:.0f} seconds")

    def fetch(self, file: dict[str, str]) -> bytes:
        """A file that a node has written."""
        return self.get("view?" + urllib.parse.urlencode(file))


@contextmanager
def running(path: Path, python: str, base: Path) -> Iterator[Server]:
    """Start it headless on the CPU with our nodes in a folder of its own; it ends with the block."""
    (base / "custom_nodes").mkdir(parents=True)
    for name, folder in PACKS.items():
        (base / "custom_nodes" / name).symlink_to(folder)
    port = _free_port()
    command = [python, "main.py", "--cpu", "--port", str(port), "--base-directory", str(base)]
    with (base / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=path, env=_environment(), stdout=log, stderr=subprocess.STDOUT)
    try:
        server = Server(f"http://127.0.0.1:{port}")
        _await_start(server, process, base / "log")
        yield server
    finally:
        process.terminate()
        process.wait()


def found() -> tuple[Path, str] | None:
    """ComfyUI's folder and its Python, by environment variable."""
    path = os.environ.get("COMFYUI_PATH")
    return None if path is None else (Path(path).resolve(), os.environ.get("COMFYUI_PYTHON", sys.executable))


def _await_start(server: Server, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        try:
            server.ask("system_stats")
        except OSError:
            time.sleep(0.3)
        else:
            return
    raise RuntimeError(f"ComfyUI did not start; its last words:\n{log.read_text()[-3000:]}")


def _environment() -> dict[str, str]:
    """With this tree's navicache and its embedded models, whatever else is installed."""
    paths = [str(ROOT / "src"), str(ROOT / "pocket" / "src"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
