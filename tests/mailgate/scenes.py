"""Situations in which a transcript's mails arrive, always the same ones: fixed deals, fixed times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import islice

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.tables.open_table import open_table
from gemserver.matches.actions.tables.terms import Terms
from gemserver.matches.models import Match, Seat
from gemserver.notify import delivery
from tests.builders import NOON, THREE_DAYS, is_asked, make_match, make_user, play_until
from tests.matches.sweeping import sweep

DEAL = "5eed" * 16


@dataclass
class Scene:
    """The writer and the match; its clock stands still except in `wait`."""

    me: User | None
    match: Match | None = None
    monkeypatch: pytest.MonkeyPatch | None = None
    now: datetime = NOON

    def wait(self, span: timedelta) -> None:
        assert self.monkeypatch
        self.now += span
        self.monkeypatch.setattr(clock, "now", lambda: self.now)

    @property
    def seat(self) -> Seat | None:
        if self.match is None:
            return None
        return self.match.seats.select_related("user", "match").filter(user=self.me).first()

    def last_mail(self) -> EmailMultiAlternatives | None:
        delivery.send_queued()
        mine = [
            sent for sent in mail.outbox if not self.me or {self.me.email, "dora@example.net"} & set(sent.to)
        ]
        return mine[-1] if mine else None  # type: ignore[return-value]

    def placeholders(self) -> dict[str, str]:
        """Placeholders in the mails and their values: `@SEAT@`, `@MOVE@`, `@QUOTED@` …"""
        found = {"LOBBY": "play@gem.localhost", "FROM": "dora@example.net"}
        if last := self.last_mail():
            text = str(last.body)
            found |= {
                "ID": last.extra_headers["Message-ID"],
                "TEXT": text,
                "QUOTED": "\n".join(f"> {line}".rstrip() for line in text.splitlines()),
                "SUBJECT": str(last.subject),
                "TICKET": _code_in(text),
            }
        if self.me:
            me = User.objects.get(pk=self.me.pk)
            found |= {"FROM": me.email, "ACCOUNT": f"me+{me.token}@gem.localhost"}
        if self.match:
            found |= {"CODE": self.match.code}
        if self.seat:
            found |= {
                "SEAT": self.seat.reply_address,
                "TURN": str(self.seat.prompt_ply),
                **self._moves(self.seat),
            }
        return found

    def _moves(self, seat: Seat) -> dict[str, str]:
        match = Match.objects.get(pk=seat.match_id)
        if not match.is_running:
            return {}
        rules = match.rules
        legal = [
            rules.write(move) for move in islice(rules.legal_moves(replay.position(match), seat.index), 300)
        ]
        if not legal:
            return {}
        longest = max(legal, key=len)
        return {
            "MOVE": legal[0],
            "LAST": legal[-1],
            "LONG": longest,
            "WRAPPED": longest.replace(" + ", "\n+ "),
        }


def _code_in(text: str) -> str:
    for lead in ("write:  confirm ", "The code:  "):
        if lead in text:
            return text.partition(lead)[2].split()[0]
    return ""


def _running(
    game: str = "gem", seats: int = 3, ply: int = 0, options: dict[str, str] | None = None
) -> Callable[[], Scene]:
    def build() -> Scene:
        players = [make_user(name) for name in ("ana", "ben", "cy")[:seats]]
        match = make_match(game, players=players, options=options, server_part=DEAL)
        match = play_until(match, lambda reached: reached.ply >= ply)
        waiting = match.seats.select_related("user").filter(is_waiting=True).order_by("index").first()
        assert waiting
        return Scene(waiting.user, match)

    return build


def _table() -> Scene:
    ana = make_user("ana")
    match = open_table(ana, Terms(game="gem", seats=3, time_control=THREE_DAYS), now=NOON)
    Match.objects.filter(pk=match.pk).update(server_part=DEAL)
    return Scene(ana, match)


def _free_table() -> Scene:
    scene = _table()
    scene.me = make_user("ben")
    return scene


def _stranger() -> Scene:
    return Scene(None)


def _player() -> Scene:
    return Scene(make_user("ana"))


def _abroad() -> Scene:
    """Ana lives in Paris."""
    scene = _running()()
    assert scene.me
    User.objects.filter(pk=scene.me.pk).update(time_zone="Europe/Paris")
    return scene


def _digest() -> Scene:
    """Two matches wait for ana, who gets a digest at eight; it has just come."""
    ana = make_user("ana")
    set_mail_mode(ana, User.MailMode.DIGEST, now=NOON, digest_at=time(8))
    matches = [make_match("gem", players=[ana, make_user(name)], server_part=DEAL) for name in ("ben", "cy")]
    matches = [play_until(match, is_asked(ana)) for match in matches]
    return Scene(ana, matches[0], now=NOON.replace(hour=8) + timedelta(days=1))


SCENES: dict[str, Callable[[], Scene]] = {
    "gem": _running(),
    "gem later": _running(ply=7),
    "gem of two": _running(seats=2, ply=3),
    "gem sealed": _running(options={"pace": "sealed"}),
    "florentine": _running("florentine", 2),
    "gembatan": _running("gembatan", 2),
    "gembatan later": _running("gembatan", 2, ply=12),
    "gemessengers": _running("gemessengers"),
    "jewellers": _running("jewellers"),
    "abroad": _abroad,
    "a table": _table,
    "a free seat": _free_table,
    "a player": _player,
    "a stranger": _stranger,
    "a digest": _digest,
}


def open_scene(name: str, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """The situation of this name, its clock stopped; all mail so far has been sent."""
    monkeypatch.setattr(clock, "now", lambda: NOON)
    scene = SCENES[name]()
    scene.monkeypatch = monkeypatch
    if name == "a digest":
        sweep(monkeypatch, scene.now)
    scene.wait(timedelta(0))
    delivery.send_queued()
    return scene
