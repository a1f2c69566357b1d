"""The guard in front of the page, called as a server calls it."""

import asyncio

import pytest

from navicache.studio.request_guard import MOST_BYTES, RequestGuard

PAGE = 200


def answer(listens_on=None, method="GET", path="/", kind="http", **headers):
    """Status and text of a request at a studio that listens there."""
    sent = []

    async def page(scope, receive, send):
        await send({"status": PAGE})

    async def send(message):
        sent.append(message)

    lines = [(name.replace("_", "-").encode(), str(value).encode()) for name, value in headers.items()]
    scope = {"type": kind, "method": method, "path": path, "headers": lines}
    asyncio.run(RequestGuard(page, listens_on)(scope, None, send))
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent).decode()


@pytest.mark.parametrize("path", ["/gradio_api/upload", "/upload", "/gradio_api/upload/"])
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", None])
def test_uploads_are_refused(path, host):
    assert answer(host, "POST", path, host="127.0.0.1", content_length=9) == (403, "this studio takes no files\n")


def test_large_bodies_are_refused():
    assert answer(method="POST", content_length=MOST_BYTES)[0] == PAGE
    assert answer(method="POST", content_length=MOST_BYTES + 1)[0] == 413
    assert answer(method="POST", transfer_encoding="chunked")[0] == 411
    assert answer(method="POST", content_length="-1")[0] == 411


@pytest.mark.parametrize("name", ["127.0.0.1:7860", "localhost:7860", "[::1]:7860", "LOCALHOST"])
def test_a_loopback_address_answers_to_its_own_names(name):
    assert answer("127.0.0.1", host=name)[0] == PAGE
    assert answer("127.0.0.1", "POST", host=name, origin=f"http://{name}", content_length=2)[0] == PAGE


@pytest.mark.parametrize("name", ["evil.example", "evil.example:7860", "127.0.0.1.evil.example", "", "[bad"])
def test_and_to_no_other(name):
    assert answer("127.0.0.1", host=name)[0] == 403
    status, text = answer("localhost", host=name)
    assert status == 403 and "start it with --host to serve others" in text


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://localhost.evil.example"])
def test_nor_to_a_page_of_another_site(origin):
    assert answer("127.0.0.1", "POST", host="127.0.0.1", origin=origin, content_length=2)[0] == 403


@pytest.mark.parametrize("address", ["LOCALHOST", "[::1]", "127.1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"])
def test_a_loopback_address_is_known_however_it_is_written(address):
    assert answer(address, host="evil.example")[0] == 403
    assert answer(address, host="localhost:7860")[0] == PAGE
    assert answer(address, host=address if address.startswith("[") or ":" not in address else f"[{address}]")[0] == PAGE


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "[::]", "::ffff:192.0.2.7", "", "x" * 99, None])
def test_other_addresses_are_known_by_any_name(host):
    assert answer(host, host="studio.example", origin="https://other.example")[0] == PAGE


def test_what_is_no_request_passes():
    assert answer("127.0.0.1", kind="lifespan")[0] == PAGE
