"""`manage.py play` as a newcomer runs it: in a process of its own, on free ports and fresh data."""

from __future__ import annotations

import os
import re
import shutil
import signal
import smtplib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.services.browser import Browser, Page
from tests.services.processes import free_port, wait_for

ROOT = Path(__file__).resolve().parent.parent
READY = "Ctrl-C stops it"
PATIENCE = 60

Start = Callable[..., "Server"]


class Server:
    """A running `play`, and its output so far."""

    def __init__(self, folder: Path, log: Path, *arguments: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME"}}
        self.folder, self.log = folder, log
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "play", *arguments],
            cwd=ROOT,
            env=clean | {"GEMSERVER_VAR": str(folder), "PYTHONUNBUFFERED": "1"} | environment,
            stdout=log.open("w"),
            stderr=subprocess.STDOUT,
        )

    @property
    def output(self) -> str:
        return self.log.read_text()

    @property
    def url(self) -> str:
        found = re.search(r"play +(http://127\.0\.0\.1:\d+)/", self.output)
        assert found, self.output
        return found[1]

    @property
    def smtp_port(self) -> int:
        found = re.search(r"127\.0\.0\.1:(\d+) \(SMTP\)", self.output)
        assert found, self.output
        return int(found[1])

    def wait_until_ready(self) -> Server:
        deadline = time.monotonic() + PATIENCE
        while READY not in self.output:
            assert self.process.poll() is None, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.05)
        return self

    def ends_with(self) -> int:
        return self.process.wait(PATIENCE)

    def status_of(self, path: str, host: str | None = None) -> int:
        request = urllib.request.Request(self.url + path, headers={"Host": host} if host else {})
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that runs on fresh data; it takes ten seconds to make its tables."""
    folder = tmp_path_factory.mktemp("newcomer")
    server = Server(folder / "var", folder / "log", "--port", str(free_port()))
    try:
        yield server.wait_until_ready()
    finally:
        server.process.kill()


@pytest.fixture(scope="module")
def made(newcomer: Server) -> Path:
    """The data that it leaves, once it has ended."""
    newcomer.process.send_signal(signal.SIGINT)
    assert newcomer.ends_with() == 0
    return newcomer.folder


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start servers on data in `tmp_path` or elsewhere, and kill those still running afterwards."""
    started: list[Server] = []

    def start_one(*arguments: str, folder: str = "var", **environment: str) -> Server:
        log = tmp_path / f"log{len(started)}"
        started.append(Server(tmp_path / folder, log, *arguments, **environment))
        return started[-1]

    yield start_one
    for server in started:
        server.process.kill()
        server.process.wait()


def matches_on(folder: Path) -> list[str]:
    code = "from gemserver.matches.models import Match; print([(m.code, m.started_at) for m in Match.objects.all()])"
    environment = {"PATH": os.environ["PATH"], "GEMSERVER_VAR": str(folder)}
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    ).stdout.split()


@pytest.mark.slow
def test_it_serves_stops_at_one_signal_and_goes_on_where_it_was(start: Start, newcomer: Server) -> None:
    server = newcomer
    port = server.url.rpartition(":")[2]
    assert server.process.args[-2:] == ["--port", port]
    assert server.status_of("/accounts/login/") == 200
    assert server.status_of("/accounts/login/", host="elsewhere.example") == 400
    with smtplib.SMTP("127.0.0.1", server.smtp_port) as receiver:
        receiver.ehlo()
        receiver.mail("demo@gem.localhost")
        assert [receiver.rcpt(address)[0] for address in ("play@gem.localhost", "x@elsewhere.example")] == [
            250,
            550,
        ]
    started = time.monotonic()
    server.process.send_signal(signal.SIGINT)
    assert server.ends_with() == 0
    assert time.monotonic() - started < 10
    before = matches_on(server.folder)
    assert before

    again = start("--port", port, folder=str(server.folder)).wait_until_ready()
    # `make` adds its own signal to the terminal's.
    for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
        again.process.send_signal(number)
    assert again.ends_with() == 0
    assert matches_on(server.folder) == before
    assert "Traceback" not in server.output + again.output


@pytest.mark.slow
def test_a_newcomer_plays_by_page_and_by_mail(start: Start, made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "var")
    port = free_port()
    start("--port", str(port)).wait_until_ready()
    browser = Browser(port, f"127.0.0.1:{port}", https=False)
    page = browser.get("/")
    page = browser.send(page, page.form("/demo/sign-in/"))
    assert page.path.startswith("/m/M")
    match = page.path

    play_what_mails_offer(browser, match)
    wait_for("the turn", lambda: browser.get(match).find_form("move-bar") is not None, seconds=PATIENCE)
    page = browser.get(match)
    page = browser.send(page, page.form("move-bar"), ("play", "1"), text="bid 99")
    assert page.status == 422
    assert 'value="bid 99"' in page.text


def play_what_mails_offer(browser: Browser, match: str) -> None:
    """Answer the newest turn mail in the mail room with the first move it offers; return once that is played."""
    progress = browser.get(f"{match}progress/").text

    def newest_mail() -> Page | None:
        found = re.search(r'href="(/mail-room/sent/\d+/)">', browser.get("/mail-room/").text)
        page = browser.get(f"{found[1]}?show=text") if found else None
        return page if page and "To play, write:" in page.text else None

    wait_for("a turn mail in the mail room", lambda: newest_mail() is not None, seconds=PATIENCE)
    page = newest_mail()
    assert page is not None
    offered = re.search(r"^To play, write: +(.+)$", page.text, re.MULTILINE)
    assert offered, page.text
    form = page.form("compose")
    page = browser.send(page, form, body=f"{offered[1]}\n\n{form.fields['body']}")
    assert "/mail-room/received/" in page.path, page.text
    wait_for("the move", lambda: browser.get(f"{match}progress/").text != progress, seconds=PATIENCE)


@pytest.mark.slow
def test_a_second_server_on_the_same_data_says_where_the_first_one_is(
    start: Start, made: Path, tmp_path: Path
) -> None:
    shutil.copytree(made, tmp_path / "var")
    first = start("--port", str(free_port())).wait_until_ready()
    second = start("--port", str(free_port()))
    assert second.ends_with() == 1
    assert "already running" in second.output
    assert first.url in second.output
    assert first.status_of("/accounts/login/") == 200


@pytest.mark.slow
def test_a_killed_server_does_not_lock_its_data(start: Start, made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, tmp_path / "var")
    port = free_port()
    server = start("--port", str(port)).wait_until_ready()
    server.process.kill()
    server.ends_with()
    start("--port", str(port)).wait_until_ready()


@pytest.mark.slow
def test_a_taken_port_is_named_with_what_to_write_instead(start: Start) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = start("--port", str(port))
        assert server.ends_with() == 1
        assert re.search(rf"Port {port} is taken.*make play PORT=\d+", server.output)
        server = start("--port", str(free_port()), SMTP_PORT=str(port))
        assert server.ends_with() == 1
        assert re.search(rf"Port {port} is taken.*make play SMTP_PORT=\d+", server.output)


@pytest.mark.slow
def test_two_servers_on_different_data_do_not_meet(start: Start, made: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        shutil.copytree(made, tmp_path / folder)
    one = start("--port", str(free_port()), folder="one").wait_until_ready()
    two = start("--port", str(free_port()), folder="two").wait_until_ready()
    assert one.smtp_port != two.smtp_port


@pytest.mark.slow
@pytest.mark.parametrize("port", ["0", "70000", "http"])
def test_what_is_no_port_is_refused(start: Start, port: str) -> None:
    server = start("--port", port)
    assert server.ends_with() != 0
    assert "write a number from 1 to 65535" in server.output


@pytest.mark.slow
@pytest.mark.parametrize(
    "environment",
    [
        {"DATABASE_URL": "sqlite:////tmp/other.sqlite3"},
        {"DATABASE_URL": "sqlite:////tmp/other.sqlite3", "GEMSERVER_MODE": "embedded"},
        {"GEMSERVER_MODE": "test"},
    ],
)
def test_it_never_works_on_other_data_than_its_own(start: Start, environment: dict[str, str]) -> None:
    server = start(SECRET_KEY="x" * 50, **environment)
    assert server.ends_with() != 0
    assert READY not in server.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "environment"), [([], {}), (["--no-browser"], {}), ([], {"CI": "true"})]
)
def test_a_page_opens_where_there_is_a_screen(
    made: Path, tmp_path: Path, arguments: list[str], environment: dict[str, str]
) -> None:
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(0o755)
    port = free_port()
    screen, terminal = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "play", "--port", str(port), *arguments],
        cwd=ROOT,
        env={
            "PATH": os.environ["PATH"],
            "GEMSERVER_VAR": str(shutil.copytree(made, tmp_path / "var")),
            "DISPLAY": ":0",
            "BROWSER": f"{browser} %s",
            **environment,
        },
        stdout=terminal,
        stderr=terminal,
    )
    os.close(terminal)
    try:
        said = b""
        while READY.encode() not in said:
            said += os.read(screen, 10_000)
        if arguments or environment:
            time.sleep(1)
            assert not opened.exists()
        else:
            wait_for("an open page", lambda: opened.exists() and bool(opened.read_text()), seconds=PATIENCE)
            assert opened.read_text() == f"http://127.0.0.1:{port}/\n"
    finally:
        process.kill()
        process.wait()
        os.close(screen)
