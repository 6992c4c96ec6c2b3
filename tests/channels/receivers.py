"""Receivers of hooks and pushes on this machine, well-behaved and others."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from gemserver.api.hooks import HookMessage


@dataclass(frozen=True, slots=True)
class Got:
    """One request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    """By names in lower case."""
    body: bytes


@dataclass
class Receiver:
    """The requests that came in, and the answer they get."""

    port: int = 0
    scheme: str = "http"
    host: str = "127.0.0.1"
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    behave: Callable[[BaseHTTPRequestHandler], None] | None = None
    """Answers in a way of its own."""
    got: list[Got] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)
    """Of Standard Webhooks, all that came; each must be as the API's document says."""

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}/hook"

    @property
    def place(self) -> str:
        """As HOOK_HOSTS names it."""
        return f"{self.host}:{self.port}"


@contextmanager
def receiver(
    host: str = "127.0.0.1", port: int = 0, *, certificate: Path | None = None, name: str = ""
) -> Iterator[Receiver]:
    """A server that records requests. With a certificate it speaks TLS; `name` is its name in addresses."""
    known = Receiver(host=name or host, scheme="https" if certificate else "http")

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {key.lower(): value for key, value in self.headers.items()}
            known.got.append(Got(self.command, self.path, headers, body))
            if "webhook-id" in headers:
                known.messages.append(body)
            if known.behave:
                known.behave(self)
                return
            self.send_response(known.status)
            for key, value in known.headers.items():
                self.send_header(key, value)
            self.end_headers()

        do_POST = do_PUT = do_GET = _take  # noqa: N815

        def log_message(self, *_given: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_given: object) -> None:
            """A client that goes away is none."""

    server = Server((host, port), Handler)
    if certificate:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    known.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    for message in known.messages:
        HookMessage.model_validate_json(message, extra="forbid")


def hang(_request: BaseHTTPRequestHandler) -> None:
    """Take the request, and say nothing."""
    time.sleep(20)


def drip(request: BaseHTTPRequestHandler) -> None:
    """Send a header that never ends, a byte at a time."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(200):
        request.wfile.write(b"a")
        time.sleep(0.1)


def flood(request: BaseHTTPRequestHandler) -> None:
    """Answer 100 MB; count how many were taken."""
    request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")
    sent, block = 0, b"x" * 100_000
    try:
        for _ in range(1000):
            request.wfile.write(block)
            sent += len(block)
    finally:
        request.server.flooded = sent  # type: ignore[attr-defined]
