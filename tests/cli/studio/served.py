"""The studio in a process of its own that cannot leave this machine, and a browser's hands on its page."""

import importlib.util
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
LEFT = "WANTED TO LEAVE"
# Whoever looks up or connects to another machine is written down, and refused.
ALONE = f"""
import socket, sys
HERE = ("127.0.0.1", "localhost", "::1", "0.0.0.0", None, "")
def kept_in(ask, place):
    def asking(*given, **named):
        host = place(*given)
        if host not in HERE and not isinstance(host, bytes):
            print("{LEFT}", host, flush=True)
            raise OSError("no network here")
        return ask(*given, **named)
    return asking
socket.getaddrinfo = kept_in(socket.getaddrinfo, lambda host, *_: host)
connect = socket.socket.connect
socket.socket.connect = kept_in(connect, lambda own, to: to[0] if isinstance(to, tuple) else None)
from navicache.cli import main
sys.exit(main(sys.argv[1:]))
"""
STARTS = 240  # seconds: Gradio is imported for the first time
TEXT = "(name => [...document.querySelectorAll('button')].find(b => b.textContent.trim().startsWith(name)))"
FIELD = '(name => document.querySelector(`input[aria-label="${name}"]`))'


def installed() -> bool:
    return importlib.util.find_spec("gradio") is not None


class Studio:
    """A server, its address, and what it has said."""

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address, self.log = f"http://127.0.0.1:{self.port}/", folder / "studio.log"
        command = [sys.executable, "-c", ALONE, "studio", "--port", str(self.port), *options]
        self._file = self.log.open("w")
        own = {"OMP_NUM_THREADS": "1", **os.environ}
        self.process = subprocess.Popen(command, cwd=ROOT, env=own, stdout=self._file, stderr=subprocess.STDOUT)

    def wait(self) -> None:
        end = time.monotonic() + STARTS
        while "open http" not in self.said():
            assert self.process.poll() is None and time.monotonic() < end, self.said()
            time.sleep(0.2)

    def said(self) -> str:
        return self.log.read_text()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(30)
        self._file.close()


def visit(tab, studio, width=1200):
    """Open the page and set it to few steps."""
    sizes = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    tab.call("Emulation.setDeviceMetricsOverride", **sizes)
    tab.problems.clear()
    tab.call("Page.navigate", url=studio.address)
    tab.until(f"!!({TEXT}('More') && document.querySelector('#nv-live p'))")
    press(tab, "More")
    tab.until(f"!!{FIELD}('Steps')")


def press(tab, name):
    tab.value(f"{TEXT}('{name}').click()")


def write(tab, name, value):
    """Write into a field, and see that it stays."""
    tab.value(
        f"(field => {{ field.value = {value}; for (const news of ['input', 'change', 'blur'])"
        f" field.dispatchEvent(new Event(news, {{ bubbles: true }})); }})({FIELD}('{name}'))"
    )
    time.sleep(0.5)
    assert tab.value(f"Number({FIELD}('{name}').value)") == value


def wait_for(tab, script, seconds=240):
    end = time.monotonic() + seconds
    while not tab.value(script):
        assert time.monotonic() < end, f"never came true: {script}\n{tab.value('document.body.innerText')}"
        time.sleep(0.1)


def live(tab):
    return tab.value("document.querySelector('#nv-live').innerText")
