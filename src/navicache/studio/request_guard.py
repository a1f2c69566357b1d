"""Refuse requests that the page never sends: uploads, large bodies, and other names of this machine."""

import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
MOST_BYTES = 2**18  # of a request; all fields of the page are far below
READING_METHODS = ("GET", "HEAD", "OPTIONS")

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address, however it is written.

    Example:
        >>> [is_loopback(host) for host in ("127.0.0.1", "LOCALHOST", "[::1]", "127.1", "0.0.0.0")]
        [True, True, True, True, False]
    """
    try:
        found = socket.getaddrinfo(host.strip("[]"), None)
    except (OSError, ValueError):  # the second for names that cannot be encoded
        return False
    return all(ipaddress.ip_address(str(to[0]).removeprefix("::ffff:")).is_loopback for *_, to in found)


class RequestGuard:
    """An ASGI application in front of another one.

    On a loopback address it answers only to the names of this machine: else a page of another site could have its own
    name point here, and read what the studio answers (DNS rebinding).
    """

    def __init__(self, app: Application, host: str | None) -> None:
        """`host` is the address of the studio; None if it is not known, then every name is accepted."""
        own = "" if host is None else host.strip("[]").lower()
        self.app, self.names = app, {*LOOPBACK_NAMES, own} if is_loopback(own) else None

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
        refusal = find_refusal(scope, self.names) if scope["type"] == "http" else None
        if refusal is None:
            return await self.app(scope, receive, send)
        status, reason = refusal
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": reason.encode()})
        return None


def find_refusal(scope: Mapping[str, Any], names: Collection[str | None] | None) -> tuple[int, str] | None:
    """Status and reason of a request that is refused; None for all others."""
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
    if names is not None:
        if _host_name(f"//{headers.get('host', '')}") not in names:
            return 403, "this studio answers as 127.0.0.1 or localhost only: start it with --host to serve others\n"
        if "origin" in headers and _host_name(headers["origin"]) not in names:
            return 403, "this studio answers its own page only\n"
    if scope["method"] in READING_METHODS:
        return None
    if scope["path"].rstrip("/").endswith("/upload"):
        return 403, "this studio takes no files\n"
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers or not length.isdecimal():
        return 411, "say how long the request is (Content-Length)\n"
    return (413, f"a request may have {MOST_BYTES} bytes at most\n") if int(length) > MOST_BYTES else None


def _host_name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
