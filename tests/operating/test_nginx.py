"""The real nginx with `deploy/nginx.conf`: pictures that it keeps, and what it answers by itself."""

from __future__ import annotations

import http.client
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, cast

import pytest

from gemserver.api.shapes import Fault
from gemserver.lib.web.problems import MEDIA_TYPE
from tests.services.front import Nginx, programs
from tests.services.site import HOST, Site

pytestmark = pytest.mark.skipif(
    not all(Path(program).exists() for program in programs().values()), reason="nginx is not installed"
)


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `answers`, the last one again and again."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[tuple[int, str]] = []
        self.asked: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = cast("Server", self.server)
        server.asked.append(self.path)
        status, kept = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
        body = f"{status} {len(server.asked)}".encode()
        self.send_response(status)
        self.send_header("Cache-Control", kept)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def nginx(server: Server) -> Iterator[Nginx]:
    class Ports:
        port = waiting_port = server.server_address[1]

    with TemporaryDirectory() as name:  # pytest's own folders are closed to nginx's processes
        folder = Path(name)
        folder.chmod(0o755)
        nginx = Nginx(folder, cast("Site", Ports))
        nginx.start()
        yield nginx
        nginx.stop()


def look(nginx: Nginx, path: str) -> tuple[int, str]:
    answer = ask(nginx, "GET", path)
    return answer.status, answer.read().decode()


def ask(nginx: Nginx, method: str, path: str, **headers: str) -> http.client.HTTPResponse:
    trust = ssl.create_default_context(cafile=str(nginx.certificate))
    asked = http.client.HTTPSConnection("127.0.0.1", nginx.port, timeout=10, context=trust)
    asked.request(method, path, headers={"Host": HOST, **headers})
    return asked.getresponse()


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/s/M1.gif", "/s/M1/3.png", "/archive/gemserver-2026-10.jsonl.gz"])
def test_what_is_older_than_it_may_be_is_shown_no_more(server: Server, nginx: Nginx, path: str) -> None:
    server.answers = [(200, "public, max-age=1"), (503, "no-store")]
    assert look(nginx, path) == (200, "200 1")
    assert look(nginx, path) == (200, "200 1"), "it is kept at all"
    time.sleep(2.1)
    assert look(nginx, path)[0] == 503
    server.shutdown()
    server.server_close()
    assert look(nginx, path)[0] == 503


@pytest.mark.slow
def test_one_picture_is_asked_for_once_whatever_stands_behind_it(server: Server, nginx: Nginx) -> None:
    server.answers = [(200, "public, max-age=300")]
    for query in ("?lang=de", "?lang=de&x=1", "?x=2&lang=de"):
        assert look(nginx, f"/s/M1/3.png{query}") == (200, "200 1")
    assert look(nginx, "/s/M1/3.png?lang=fr") == (200, "200 2")


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        "/s/M1/3.png?lang=de&lang=fr",
        "/s/M1/3.png?LANG=de",
        "/x/..%2fs/M1/3.png?lang=de",
        "//s/M1/3.png?lang=de",
    ],
)
def test_nobody_has_another_picture_kept_than_the_one_that_is_asked_for(
    asked: str, server: Server, nginx: Nginx
) -> None:
    server.answers = [(200, "public, max-age=300")]
    look(nginx, asked)
    look(nginx, "/s/M1/3.png?lang=de")
    assert server.asked == ["/s/M1/3.png?lang=de"]


@pytest.mark.slow
def test_who_asks_for_looping_pictures_without_end_is_stopped(server: Server, nginx: Nginx) -> None:
    server.answers = [(200, "public, max-age=300")]
    found = [look(nginx, f"/s/M{number}.gif")[0] for number in range(30)]
    assert found[:20] == [200] * 20
    assert 429 in found
    assert look(nginx, "/s/M1/3.png")[0] == 200


@pytest.mark.slow
def test_while_the_server_restarts_programs_are_told_by_a_problem_when_to_come_again(
    server: Server, nginx: Nginx
) -> None:
    server.answers = [(503, "private, no-store")]
    assert look(nginx, "/api/v1/turns") == (503, "503 1"), "what the server says itself is passed on"
    server.shutdown()
    server.server_close()
    asked = [
        ("GET", "/api/v1/turns", {}),
        ("GET", "/api/v1/turns", {"Prefer": "wait=5"}),
        ("POST", "/api/v1/turns", {}),
        ("GET", "/api/v1/openapi.json", {}),
    ]
    for method, path, headers in asked:
        answer = ask(nginx, method, path, **headers)
        assert answer.status == 503
        assert answer.headers["Content-Type"] == MEDIA_TYPE
        assert int(answer.headers["Retry-After"]) > 0
        Fault.model_validate_json(answer.read())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "language", "words"),
    [
        ("de-AT,de;q=0.9", "de", "Der Server antwortet nicht"),
        ("fr", "fr", "Le serveur ne répond pas"),
        ("pl", "en", "The server does not answer"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/s/M1.gif"])
def test_while_the_server_restarts_people_read_so_in_their_language(
    path: str, wanted: str, language: str, words: str, server: Server, nginx: Nginx
) -> None:
    server.shutdown()
    server.server_close()
    answer = ask(nginx, "GET", path, **{"Accept-Language": wanted})
    assert (answer.status, answer.headers["Content-Type"]) == (503, "text/html; charset=utf-8")
    assert answer.headers["Cache-Control"] == "private, no-store"
    page = answer.read().decode()
    assert f'<html lang="{language}">' in page
    assert words in page


LONG = "a" * 10_000
REFUSED = [
    (f"GET /api/v1/turns?cursor={LONG} HTTP/1.1\r\nHost: {HOST}\r\n\r\n", 414, "too-long"),
    (f"GET /api/v1/turns HTTP/1.1\r\nHost: {HOST}\r\nCookie: {LONG}\r\n\r\n", 400, "bad-request"),
    ("GET /api/v1/turns HTTP/1.1\r\n\r\n", 400, "bad-request"),
    (f"TRACE /api/v1/turns HTTP/1.1\r\nHost: {HOST}\r\n\r\n", 405, "method"),
    (
        f"POST /api/v1/tables HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 5000000\r\n\r\n",
        413,
        "too-large",
    ),
    (
        f"POST /api/v1/tables HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: gzip\r\n\r\n",
        501,
        "encoded",
    ),
    (f"GET /api/v1/turns HTTP/3.7\r\nHost: {HOST}\r\n\r\n", 505, "http-version"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "status", "code"), REFUSED)
def test_what_nginx_refuses_of_a_program_it_says_by_a_problem(
    sent: str, status: int, code: str, server: Server, nginx: Nginx
) -> None:
    answer, body = _send(nginx, sent)
    assert (answer.status, answer.headers["Content-Type"]) == (status, MEDIA_TYPE)
    found = Fault.model_validate_json(body)
    assert (found.status, found.code, found.type) == (status, code, f"urn:gemserver:problem:{code}")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert server.asked == []


SAID = {
    413: {"en": "too much at once", "de": "zu viel auf einmal", "fr": "trop à la fois"},
    414: {"en": "address is too long", "de": "Adresse ist zu lang", "fr": "adresse est trop longue"},
    429: {"en": "too often", "de": "zu oft", "fr": "trop souvent"},
}
UNREADABLE = {"en": "could not be read", "de": "nicht zu lesen", "fr": "pas pu être lu"}


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize(("sent", "status"), [(sent, status) for sent, status, _ in REFUSED])
def test_what_nginx_refuses_people_they_read_in_their_language(
    sent: str, status: int, language: str, server: Server, nginx: Nginx
) -> None:
    first, rest = sent.replace("/api/v1/", "/accounts/").split("\r\n", 1)
    answer, body = _send(nginx, f"{first}\r\nAccept-Language: {language}\r\n{rest}")
    # Nothing behind a first line that cannot be read is known of its sender.
    known = language if status not in (414, 505) else "en"
    _require_page(answer, body, known, SAID.get(status, UNREADABLE)[known], status)
    assert server.asked == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("path", "kind"), [("/api/v1/tables", MEDIA_TYPE), ("/accounts/", "text/html; charset=utf-8")]
)
def test_a_body_that_is_too_large_is_refused_in_our_words_by_http_2_too(
    path: str, kind: str, tmp_path: Path, server: Server, nginx: Nginx
) -> None:
    body = tmp_path / "body"
    body.write_bytes(bytes(5_000_000))
    command = [
        *("curl", "--silent", "--http2", "--cacert", str(nginx.certificate), "--header", f"Host: {HOST}"),
        *("--data-binary", f"@{body}", "--write-out", "%{http_version} %{http_code} %{content_type}"),
        *("--output", str(tmp_path / "answer"), f"https://127.0.0.1:{nginx.port}{path}"),
    ]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    assert said == f"2 413 {kind}"


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_who_asks_for_too_many_looping_pictures_reads_when_to_ask_again(
    language: str, server: Server, nginx: Nginx
) -> None:
    server.answers = [(200, "public, max-age=300")]
    for number in range(30):
        answer = ask(nginx, "GET", f"/s/M{number}.gif", **{"Accept-Language": language})
    assert int(answer.headers["Retry-After"]) == 60
    _require_page(answer, answer.read(), language, SAID[429][language], 429)


def _require_page(
    answer: http.client.HTTPResponse, body: bytes, language: str, words: str, status: int
) -> None:
    assert (answer.status, answer.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert answer.headers["Cache-Control"] == "private, no-store"
    page = body.decode()
    assert f'<html lang="{language}">' in page
    assert words in page


def _send(nginx: Nginx, text: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Send just these signs, and read the answer."""
    trust = ssl.create_default_context(cafile=str(nginx.certificate))
    plain = socket.create_connection(("127.0.0.1", nginx.port), timeout=10)
    with trust.wrap_socket(plain, server_hostname="127.0.0.1") as connection:
        connection.sendall(text.encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer, answer.read()
