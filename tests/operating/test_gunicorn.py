"""gunicorn with the configuration of the web processes, before an application that takes everything."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.services.processes import Process, answers, free_port, wait_for
from tests.services.site import ROOT

TAKES_ALL = """
def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"%d %d" % (len(environ["QUERY_STRING"]), len(environ.get("HTTP_COOKIE", "")))]
"""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "takes_all.py").write_text(TAKES_ALL)
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "takes_all", "--config", "python:gemserver.gunicorn"]
    environment = {**os.environ, "PORT": str(port), "WEB_CONCURRENCY": "1", "PYTHONPATH": str(tmp_path)}
    process = Process("gunicorn", command, tmp_path, environment=environment, cwd=ROOT)
    process.start()
    try:
        wait_for("gunicorn", lambda: answers(port), seconds=60, watched=[process])
        yield port
    finally:
        process.stop()


@pytest.mark.slow
def test_what_nginx_lets_through_is_not_refused_in_words_of_gunicorn(port: int) -> None:
    """Addresses of 4 kB and more were, in English and without a problem for programs."""
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", f"/?q={'a' * 8000}", headers={"Cookie": "c" * 30_000})
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b"8002 30000")
