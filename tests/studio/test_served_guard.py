"""The served page without a browser: what it refuses, and how it ends."""

import http.client
import importlib.util
import json
import signal
from contextlib import closing

import pytest
from tests.studio.served import Studio

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        importlib.util.find_spec("gradio") is None,
        reason="gradio is not installed: make test-studio has an environment with it",
    ),
]


@pytest.fixture(autouse=True)
def no_network():
    """The server is on this machine, and cannot leave it."""


@pytest.fixture
def served(tmp_path):
    with closing(Studio(tmp_path, "--locked")) as studio:
        studio.wait()
        yield studio


def ask(studio, method="GET", path="/", body=None, **headers):
    with closing(http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)) as line:
        line.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = line.getresponse()
        return answer.status, answer.read().decode(errors="replace")


def test_what_a_stranger_tries_and_how_it_ends(served):
    assert ask(served)[0] == 200
    config = json.loads(ask(served, path="/config")[1])
    assert config["max_file_size"] == 1
    form = {"content_type": "multipart/form-data; boundary=x"}
    file = (
        b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.bin"\r\n\r\n'
        + b"0" * 9999
        + b"\r\n--x--\r\n"
    )
    before = served.files()
    assert ask(served, "POST", "/gradio_api/upload", file, **form) == (403, "this studio takes no files\n")
    assert ask(served, "POST", "/gradio_api/queue/join", b"0" * 2**20)[0] == 413
    assert ask(served, Host="evil.example")[0] == 403
    assert ask(served, Origin="http://evil.example")[0] == 403
    assert served.files() == before
    served.process.send_signal(signal.SIGINT)
    assert served.process.wait(60) == 130
    assert "interrupted" in served.said() and "Traceback" not in served.said()
