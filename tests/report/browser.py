"""Headless Chromium, spoken to over its own protocol; nothing is fetched."""

import base64
import contextlib
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--remote-debugging-port=0",
    "--mute-audio",
    "--no-first-run",
)
QUIET = ("--disable-dev-shm-usage", "--disable-background-networking", "--autoplay-policy=no-user-gesture-required")
PATIENCE = 30


def find_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Tab:
    """One page; `problems` collects errors of its console and everything it wanted from a network."""

    def __init__(self, address: str) -> None:
        import websocket

        self._socket = websocket.create_connection(address, timeout=PATIENCE, suppress_origin=True)
        self._number, self.problems, self.loaded = 0, [], False
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters):
        self._number += 1
        number = self._number
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        end = time.monotonic() + PATIENCE
        while (message := json.loads(self._socket.recv())).get("id") != number:
            assert time.monotonic() < end, f"no answer to {method}"
            self._hear(message)
        assert "error" not in message, message
        return message["result"]

    def _hear(self, message) -> None:
        method, news = message.get("method"), message.get("params", {})
        self.loaded |= method == "Page.loadEventFired"
        if method == "Runtime.exceptionThrown":
            self.problems.append(str(news["exceptionDetails"]))
        elif method == "Log.entryAdded" and news["entry"]["level"] in ("error", "warning"):
            self.problems.append(news["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and news["type"] in ("error", "warning"):
            self.problems.append(str(news["args"]))
        elif method == "Network.requestWillBeSent" and news["request"]["url"].startswith(("http", "ws")):
            self.problems.append(f"fetched {news['request']['url']}")

    def open(self, path: Path, width: int = 1200, dark: bool = False) -> None:
        sizes = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **sizes)
        colours = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=colours)
        self.loaded = False
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.until("document.readyState === 'complete'")

    def value(self, script: str):
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, script: str, seconds: float = PATIENCE) -> None:
        end = time.monotonic() + seconds
        while not self.value(script):
            assert time.monotonic() < end, f"never came true: {script}"
            time.sleep(0.02)

    def screenshot(self, path: Path, whole: bool = True) -> None:
        made = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(made["data"]))

    def close(self) -> None:
        self._socket.close()


@contextlib.contextmanager
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [find_browser(), *FLAGS, *QUIET, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tab = None
        try:
            tab = Tab(_address(Path(profile) / "DevToolsActivePort"))
            yield tab
        finally:
            if tab is not None:
                tab.close()
            process.terminate()
            process.wait(PATIENCE)


def _address(file: Path) -> str:
    end = time.monotonic() + PATIENCE
    while not file.exists() or "\n" not in file.read_text():
        assert time.monotonic() < end, "the browser did not start"
        time.sleep(0.05)
    port = file.read_text().splitlines()[0]
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=PATIENCE) as answer:
            pages = [page for page in json.load(answer) if page["type"] == "page"]
        if pages:
            return pages[0]["webSocketDebuggerUrl"]
        assert time.monotonic() < end, "the browser opened no page"
        time.sleep(0.05)
