"""2 000 moves in 100 matches by web and mail, while one thing after the other breaks; checked after each."""

from __future__ import annotations

import random
import time
from argparse import Namespace
from typing import TYPE_CHECKING

from gemserver.matches.models import Match
from tests.faults import crowd
from tests.faults.accidents import ACCIDENTS, Scene
from tests.faults.deeds import Deeds
from tests.faults.desks import Desk, MailDesk, WebDesk
from tests.faults.store import MailStore
from tests.faults.supervisor import Supervisor
from tests.faults.verdicts import faults_of, unfinished
from tests.services.log import say
from tests.services.processes import Failed, answers

if TYPE_CHECKING:
    from tests.faults.__main__ import Ground

WEB_DESKS, MAIL_DESKS, PEOPLE = 3, 3, 4
"""Threads of each kind, and players at each of them."""
PATIENCE = 150
"""Seconds in which the server must have recovered from an accident by itself."""
STANDSTILL = 150
"""Seconds without any move: somebody waits for ever."""


def weather(ground: Ground, options: Namespace) -> list[str]:
    """Run the whole storm; return the faults. Raises Failed if play stops."""
    chance = random.Random(options.seed)
    say(f"seed {options.seed}, {options.moves} moves in {options.matches} matches")
    people = crowd.gather(WEB_DESKS * PEOPLE, MAIL_DESKS * PEOPLE)
    crowd.deal(people, options.matches, chance)
    store = MailStore(ground.folder)
    store.start()
    storm = Storm(ground, people, store, chance)
    try:
        names = options.accident or chance.sample(sorted(ACCIDENTS), len(ACCIDENTS))
        return storm.blow(names, options.moves)
    finally:
        storm.end()


class Storm:
    """Players at their desks, a supervisor, and accidents between them."""

    def __init__(self, ground: Ground, people: crowd.Crowd, store: MailStore, chance: random.Random) -> None:
        self._ground, self._store = ground, store
        self._deeds = Deeds()
        self._supervisor = Supervisor(ground.site.watched)
        self._scene = Scene(
            ground.site, ground.postgres, ground.redis, ground.relay, store, self._supervisor, chance
        )
        self._web = [
            WebDesk(
                number,
                self._deeds,
                people.on_the_web[number::WEB_DESKS],
                [ground.site.browser() for _ in range(PEOPLE)],
            )
            for number in range(WEB_DESKS)
        ]
        self._mail = [
            MailDesk(
                number,
                self._deeds,
                people.by_mail[number::MAIL_DESKS],
                ground.relay,
                ground.site.smtp_port,
            )
            for number in range(MAIL_DESKS)
        ]

    @property
    def _desks(self) -> list[Desk]:
        return [*self._web, *self._mail]

    def blow(self, names: list[str], moves: int) -> list[str]:
        """Let them play, and each accident happen in its turn."""
        self._ground.site.start()
        for desk in self._web:
            desk.sign_in()
        self._supervisor.start()
        for desk in self._desks:
            desk.start()
        faults: list[str] = []
        for number, name in enumerate(names):
            self._play_until(moves * (number + 1) // (len(names) + 1))
            began, before = time.monotonic(), len(self._deeds)
            say(f"{before:>5} moves: {name}")
            ACCIDENTS[name](self._scene)
            during = len(self._deeds) - before
            faults += [f"after “{name}”: {fault}" for fault in self._check()]
            say(f"      … {during} moves meanwhile, checked after {time.monotonic() - began:.0f} s")
            if faults:
                return faults
        self._play_until(moves)
        faults += self._check()
        self._report(len(names))
        return faults

    def end(self) -> None:
        for desk in self._desks:
            desk.closing.set()
        self._supervisor.stop()
        self._ground.site.stop()
        self._store.stop()

    def _play_until(self, moves: int) -> None:
        for desk in self._desks:
            desk.open_.set()
        before, since = len(self._deeds), time.monotonic()
        while len(self._deeds) < moves:
            self._require_desks()
            if len(self._deeds) > before:
                before, since = len(self._deeds), time.monotonic()
            if time.monotonic() - since > STANDSTILL:
                raise Failed(f"no move for {STANDSTILL} seconds; the server still has {unfinished()}")
            time.sleep(0.1)

    def _check(self) -> list[str]:
        """Let the players rest and the server recover; return the faults that remain."""
        for desk in self._desks:
            desk.open_.clear()
            desk.idle.clear()
        for desk in self._desks:
            while not desk.idle.wait(1):
                self._require_desks()
        self._require_desks()
        left: list[str] = []
        deadline = time.monotonic() + PATIENCE
        while (left := [*unfinished(), *self._away()]) and time.monotonic() < deadline:
            time.sleep(0.2)
        faults = [f"left undone for {PATIENCE} s: {what}" for what in left]
        faults += self._supervisor.take_troubles()
        return faults + faults_of(self._deeds, self._ground.relay, self._scene.deaths)

    def _away(self) -> list[str]:
        """Processes that nobody reaches."""
        site = self._ground.site
        return [
            *(["web process that does not listen"] if not answers(site.port) else []),
            *(["mail process that does not listen"] if not answers(site.smtp_port) else []),
        ]

    def _require_desks(self) -> None:
        for desk in self._desks:
            if desk.fault:
                raise Failed(f"{desk.name}: {desk.fault!r}") from desk.fault

    def _report(self, accidents: int) -> None:
        done = self._deeds.all()
        by_mail = sum(deed.way == "mail" for deed in done)
        arrivals = self._ground.relay.received().values()
        doubles = sum(len(mails) - 1 for mails in arrivals)
        over = Match.objects.filter(status="finished").count()
        say(
            f"{accidents} accidents; {len(done)} moves, {by_mail} of them by mail, {self._deeds.hardships} times "
            f"sent again; {over} matches over; {len(arrivals)} mails, {doubles} came twice, as they may"
        )
