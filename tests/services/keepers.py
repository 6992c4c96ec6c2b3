"""Programs that wait behind nginx: kept by the waiting process, and answered at once by the web while it is away."""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from tests.services.front import Nginx
from tests.services.log import say
from tests.services.processes import Failed, answers, wait_for
from tests.services.site import HOST, Site

PATIENCE = 60
SOON = 8
"""Seconds; whoever waits longer was kept."""
MAKE_TOKEN = """
import os, django
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
django.setup()
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches.actions.people.make_token import make_token
print(make_token(User.objects.get(username={name!r}), "waits", ("read",), days=None, now=clock.now())[1])
"""


@dataclass(frozen=True)
class Reply:
    status: int
    etag: str
    seconds: float
    was_kept: bool


class Program:
    """A program that asks for its turns by HTTPS."""

    def __init__(self, nginx: Nginx, token: str) -> None:
        self._port, self._token = nginx.port, token
        self._trust = ssl.create_default_context(cafile=str(nginx.certificate))

    def ask(self, etag: str = "", wait: int = 0) -> Reply:
        connection = http.client.HTTPSConnection("127.0.0.1", self._port, timeout=120, context=self._trust)
        headers = {"Host": HOST, "Authorization": f"Bearer {self._token}"}
        headers |= {"If-None-Match": etag, "Prefer": f"wait={wait}"} if wait else {}
        began = time.monotonic()
        try:
            connection.request("GET", "/api/v1/turns", headers=headers)
            answer = connection.getresponse()
            answer.read()
        finally:
            connection.close()
        seconds, kept = time.monotonic() - began, "Preference-Applied" in answer.headers
        return Reply(answer.status, answer.headers.get("ETag", ""), seconds, kept)


def wait_behind_nginx(site: Site, folder: Path, name: str) -> None:
    """A program of this player waits, loses the process that keeps it, and finds it again. Raises Failed."""
    nginx, waiting = Nginx(folder, site), site.processes["waiting"]
    try:
        nginx.start()
        program = Program(nginx, site.python("-c", MAKE_TOKEN.format(name=name)).strip())
        known = program.ask()
        if (known.status, known.was_kept) != (200, False):
            raise Failed(f"the first question was answered with {known}")
        _require(program.ask(known.etag, wait=2), 304, was_kept=True)
        replies: list[Reply] = []
        asking = threading.Thread(target=lambda: replies.append(program.ask(known.etag, wait=60)))
        asking.start()
        time.sleep(1)
        waiting.kill()
        asking.join()
        _require(replies[0], 304, was_kept=False)
        _require(program.ask(known.etag, wait=60), 304, was_kept=False)
        waiting.start()
        wait_for("who waits", lambda: answers(site.waiting_port), seconds=PATIENCE, watched=[waiting])
        wait_for(
            "a program that is kept again",
            lambda: program.ask(known.etag, wait=1).was_kept,
            seconds=PATIENCE,
            watched=[waiting],
        )
    finally:
        nginx.stop()
    say("programs wait behind nginx, and are answered at once while nobody keeps them")


def _require(reply: Reply, status: int, *, was_kept: bool) -> None:
    if (reply.status, reply.was_kept) != (status, was_kept) or reply.seconds > SOON:
        raise Failed(f"{reply} instead of {status}, {'kept' if was_kept else 'not kept'}, within {SOON} s")
