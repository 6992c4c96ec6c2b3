"""Two web and three worker processes, each on its own, one PostgreSQL and one Redis: nothing is tied to one process.

Every player's requests go to the two web servers in turn. Sweeps are so rare that only nudges keep things moving.
"""

from __future__ import annotations

import random
import re
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from django.apps import apps
from django.conf import settings
from django.db.models import FileField

from gemserver.notify.models import OutboxMessage
from tests.faults import crowd
from tests.faults.deeds import Deeds
from tests.faults.desks import Desk, MailDesk, WebDesk, sign_in
from tests.faults.verdicts import faults_of, unfinished
from tests.services.browser import Browser
from tests.services.log import say
from tests.services.processes import Failed, Process, answers, free_port, wait_for
from tests.services.site import HOST, PATIENCE, ROOT, Site

if TYPE_CHECKING:
    from tests.faults.__main__ import Ground

WORKERS = 3
MATCHES, MOVES, PEOPLE = 12, 90, 3
FAILURES = 5
"""Failed attempts to sign in to one account that allauth's limits allow."""
SWEEP_SECONDS = 60
SWEEP = timedelta(seconds=SWEEP_SECONDS)
SOON = SWEEP / 4
"""At least half of the mails go out within this time: a sweep alone would let them wait twice as long."""
STANDSTILL = 90
ALONE = 15
"""Moves that the last worker has to handle alone."""


class RoamingBrowser(Browser):
    """Sends each request to the next web server, like a proxy that deals them out in turn."""

    def __init__(self, ports: list[int]) -> None:
        super().__init__(ports[0], HOST, https=True)
        self._ports = ports

    def _exchange(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        self._ports = [*self._ports[1:], self._ports[0]]
        self._port = self._ports[0]
        return super()._exchange(method, path, body, headers)


class Fleet:
    """The processes: the site's own, another web server and two more workers."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.ports = [site.port, free_port()]
        seldom = {**site.environment, "SWEEP_SECONDS": str(SWEEP_SECONDS), "WORKER_CONCURRENCY": "1"}
        commands = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
        self.mail = self._process("mail", commands["mail"], seldom)
        self.beat = self._process("beat", commands["beat"], seldom)
        self.webs = [
            self._process(f"web-{port}", commands["web"], {**seldom, "PORT": str(port)})
            for port in self.ports
        ]
        # All on one machine: without names of their own the workers would take each other for one.
        self.workers = [
            self._process(f"worker-{number}", f"{commands['worker']} --hostname worker{number}@%h", seldom)
            for number in range(WORKERS)
        ]

    @property
    def processes(self) -> list[Process]:
        return [*self.webs, *self.workers, self.beat, self.mail]

    def start(self) -> None:
        for process in self.processes:
            process.start()
        for port in [*self.ports, self.site.smtp_port]:
            wait_for(f"port {port}", lambda port=port: answers(port), seconds=PATIENCE)  # type: ignore[misc]
        for worker in self.workers:
            wait_for(worker.name, lambda worker=worker: " ready." in worker.output, seconds=PATIENCE)  # type: ignore[misc]
        say(f"two web servers on {self.ports}, {WORKERS} workers")

    def stop(self) -> None:
        for process in self.processes:
            process.stop()

    def _process(self, name: str, command: str, environment: dict[str, str]) -> Process:
        return Process(
            name, ["sh", "-c", f"exec {command}"], self.site.folder, environment=environment, cwd=ROOT
        )


def sail(ground: Ground, seed: int) -> list[str]:
    """Start the fleet and go through everything that could be tied to a process. Raises Failed."""
    fleet = Fleet(ground.site)
    fleet.start()
    try:
        _require_no_media()
        people = crowd.gather(PEOPLE, PEOPLE, prefix="fleet-")
        check_sign_in(fleet, people)
        check_limits(fleet, crowd.make_user("fleet-forgetful"))
        check_static_files(fleet)
        ground.relay.open_boxes(user.email for user in people.by_mail)
        crowd.deal(people, MATCHES, random.Random(seed))
        return play(ground, fleet, people, seed)
    finally:
        fleet.stop()


def check_sign_in(fleet: Fleet, people: crowd.Crowd) -> None:
    """A session begun on one server is known to the other, and each takes the other's forms."""
    user = people.on_the_web[0]
    first, second = (Browser(port, HOST, https=True) for port in fleet.ports)
    sign_in(first, user)
    second.take_cookies_of(first)
    page = second.get("/accounts/email/")
    if user.email not in page.text:
        raise Failed("the second web server does not know who signed in at the first")
    form = page.form("/accounts/logout/")
    first.take_cookies_of(second)
    page = first.send(page, form)
    if page.status != 200 or user.email in second.get("/accounts/email/").text:
        raise Failed("who signed out at one server with a form of the other is still signed in")
    say("a session is the same on both servers, and so is the protection of forms")


def check_limits(fleet: Fleet, user: crowd.User) -> None:
    """Attempts to guess a password count for both servers together."""
    browser = RoamingBrowser(fleet.ports)
    for _ in range(FAILURES):
        page = browser.get("/accounts/login/")
        form = page.form("/accounts/login/")
        page = browser.send(page, form, login=user.username, password="wrong")
        if "Too many wrong passwords" in page.text:
            raise Failed("too few attempts to sign in were let through")
    page = browser.get("/accounts/login/")
    page = browser.send(page, page.form("/accounts/login/"), login=user.username, password=crowd.PASSWORD)
    if "Too many wrong passwords" not in page.text:
        raise Failed(f"{FAILURES} wrong passwords dealt out to two servers were not counted together")
    say(f"after {FAILURES} wrong passwords at the two servers in turn neither lets anybody try")


def check_static_files(fleet: Fleet) -> None:
    """A page of one server names files that the other has under the same names."""
    first, second = (Browser(port, HOST, https=True) for port in fleet.ports)
    names = [
        set(re.findall(r'(?:href|src)="(/static/[^"]+)"', browser.get("/").text))
        for browser in (first, second)
    ]
    if not names[0] or names[0] != names[1]:
        raise Failed(f"the servers name different files: {names}")
    for name in names[0]:
        if second.get(name).status != 200:
            raise Failed(f"the second server does not have {name}, which the first one names")
    say(f"both serve the same {len(names[0])} static files")


def _require_no_media() -> None:
    """Nobody uploads anything that one machine alone would have."""
    fields = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, FileField)
    ]
    if fields or settings.MEDIA_ROOT:
        raise Failed(f"files are kept on one machine: {fields or settings.MEDIA_ROOT}")
    say("no file is kept by any process")


def play(ground: Ground, fleet: Fleet, people: crowd.Crowd, seed: int) -> list[str]:
    """Play on the web and by mail through all processes; at the end a single worker does the work of three."""
    deeds = Deeds()
    web = WebDesk(seed, deeds, people.on_the_web, [RoamingBrowser(fleet.ports) for _ in people.on_the_web])
    mail = MailDesk(seed, deeds, people.by_mail, ground.relay, ground.site.smtp_port)
    web.sign_in()
    desks: list[Desk] = [web, mail]
    for desk in desks:
        desk.start()
        desk.open_.set()
    try:
        began = time.monotonic()
        _wait_for_moves(deeds, MOVES, desks, fleet)
        rate = MOVES / (time.monotonic() - began)
        shares = [len(set(re.findall(r'"task_id": "([^"]+)"', worker.output))) for worker in fleet.workers]
        if not all(shares):
            raise Failed(f"a worker had nothing to do: {shares}")
        for worker in fleet.workers[1:]:
            worker.stop()
        _wait_for_moves(deeds, MOVES + ALONE, desks, fleet)
        for desk in desks:
            desk.open_.clear()
            desk.idle.clear()
            desk.idle.wait()
        wait_for("the last mails", lambda: not unfinished(3 * SWEEP), seconds=3 * SWEEP_SECONDS)
        say(
            f"{len(deeds)} moves, {rate:.1f}/s, worked on by the workers {shares}; the last one alone did the rest"
        )
        sent = OutboxMessage.objects.filter(state="sent", user__username__startswith="fleet-")
        waits = sorted(at - created for at, created in sent.values_list("sent_at", "created_at") if at)
        if waits[len(waits) // 2] > SOON:
            raise Failed(
                f"half of the mails waited for longer than {waits[len(waits) // 2]}: nudges are lost"
            )
        say(f"half of the mails went out within {waits[len(waits) // 2].total_seconds():.1f} s, by nudges")
        return faults_of(deeds, ground.relay, [])
    finally:
        for desk in desks:
            desk.closing.set()


def _wait_for_moves(deeds: Deeds, number: int, desks: list[Desk], fleet: Fleet) -> None:
    def is_reached() -> bool:
        for desk in desks:
            if desk.fault:
                raise Failed(f"{desk.name}: {desk.fault!r}")
        return len(deeds) >= number

    wait_for(f"{number} moves", is_reached, seconds=STANDSTILL + number)
