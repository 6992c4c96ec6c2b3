"""Ten thousand mails, most of them damaged: none raises, none is lost, none acts twice, no machine is answered."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256

import pytest
from django.db.models import Sum

from games.chance import Chance
from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.lib import clock
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import codec, replay
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import make_match, make_user
from tests.mailgate import clients, mutations
from tests.quick import first, size, some

pytestmark = pytest.mark.django_db

GAMES = {"gem": 3, "jewellers": 2, "florentine": 2, "gemessengers": 3, "gembatan": 2}
STRANGER = "stranger@example.net"


@dataclass
class Postbag:
    """Writes and delivers mails to a club that plays all five games, and remembers what it has sent."""

    chance: random.Random
    players: list[User]
    matches: dict[str, Match] = field(default_factory=dict)
    delivered: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Deliveries of each mail, by content and recipient."""
    by_machines: set[int] = field(default_factory=set)
    """The rows of mails that certainly came from machines."""

    def send(self) -> None:
        seat = self._pick_seat()
        assert seat.user is not None
        raw = self._write(seat)
        fate = self.chance.random()
        if fate < 0.6:
            raw = mutations.mutate(self.chance, raw)
        is_machine = fate > 0.9
        if is_machine:
            raw = mutations.with_machine_field(self.chance, raw)
        envelope_from = self.chance.choice([seat.user.email, STRANGER, ""]) if fate < 0.3 else seat.user.email
        to = self._address(seat)
        for _ in range(self.chance.choice([1, 1, 1, 1, 2])):
            row = ingest(
                raw, envelope_from, to, self.chance.choice(["smtp", "imap"]), {"dmarc": self._verdict()}
            )
            self.delivered[sha256(raw).hexdigest(), to] += 1
            if is_machine:
                self.by_machines.add(row.pk)
        if self.chance.random() < 0.5:
            processing.process_stored()

    def _pick_seat(self) -> Seat:
        game = self.chance.choice(list(GAMES))
        match = self.matches.get(game)
        if match is None or not Match.objects.get(pk=match.pk).is_running:
            match = self.matches[game] = make_match(game, self.players[: GAMES[game]], now=clock.now())
        seats = match.seats.select_related("user", "match").order_by("index")
        waiting = list(seats.filter(is_waiting=True))
        return self.chance.choice(waiting if self.chance.random() < 0.8 else list(seats))

    def _write(self, seat: Seat) -> bytes:
        line = clients.ATTRIBUTIONS[self.chance.choice(list(clients.ATTRIBUTIONS))].format(
            n=clients.NAME, a=clients.ADDRESS
        )
        body = self.chance.choice(list(clients.FRAMES.values()))(self._typed(seat), line)
        sender = seat.user.email if self.chance.random() < 0.9 and seat.user else STRANGER
        fields = [
            f"From: {sender}",
            f"To: {seat.reply_address}",
            f"Subject: Re: [{seat.match.title} {seat.match.code}]",
            f"Message-ID: <{self.chance.randrange(10**12)}@client.example.net>",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 8bit",
        ]
        return "\r\n".join([*fields, "", *body.split("\n")]).encode()

    def _typed(self, seat: Seat) -> str:
        if self.chance.random() < 0.25:
            return self.chance.choice(mutations.ODD_LINES)
        match = Match.objects.get(pk=seat.match_id)
        state = replay.position(match)
        if seat.index not in match.rules.waiting_on(state):
            return "hello there"
        move = match.rules.random_move(state, seat.index, Chance("0" * 64, f"{self.chance.random()}"))
        return match.rules.write(move)

    def _address(self, seat: Seat) -> str:
        assert seat.user is not None
        others = [
            "play@gem.localhost",
            f"me+{seat.user.token}@gem.localhost",
            f"play+{'a' * 26}@gem.localhost",
            seat.reply_address.upper(),
        ]
        return seat.reply_address if self.chance.random() < 0.85 else self.chance.choice(others)

    def _verdict(self) -> str:
        return self.chance.choice(["pass"] * 6 + ["none", "fail"])


@pytest.mark.parametrize(
    ("mails", "seed"), [(60, 10), *first(0, ((size(100, 1000), seed) for seed in some(range(10), 3)))]
)
@pytest.mark.slow
def test_no_mail_breaks_anything(mails: int, seed: int, settings: object) -> None:
    """The threats of mail-requirements.md at large: the same mails in every run."""
    settings.MAIL_AUTH = "normal"  # type: ignore[attr-defined]
    club = [make_user(name) for name in ("ana", "ben", "cy")]
    postbag = Postbag(random.Random(seed), club)
    for _ in range(mails):
        postbag.send()
    processing.process_stored()
    _require_none_lost(postbag, mails)
    _require_none_twice()
    _require_no_answer_to_machines(postbag)
    _require_sound_matches()


def _require_none_lost(postbag: Postbag, mails: int) -> None:
    rows = InboundEmail.objects.all()
    assert rows.aggregate(mails=Sum("copies"))["mails"] == postbag.delivered.total()
    assert not rows.filter(state="stored").exists()
    assert not rows.filter(code="server-error").exists()
    assert rows.filter(state="done").count() > mails // 20, (
        "hardly anything was played: the test tests nothing"
    )


def _require_none_twice() -> None:
    """Each mail that acted did so under requests of its own, and the same mail again made no second row."""
    played = Move.objects.filter(source="mail").values_list("request_id", flat=True)
    assert len(set(played)) == len(played)
    kept = [
        (bytes(row.raw or b""), row.envelope_to.lower()) for row in InboundEmail.objects.filter(state="done")
    ]
    assert len(set(kept)) == len(kept)


def _require_no_answer_to_machines(postbag: Postbag) -> None:
    answered = {
        row.data["inbound"]: row.to for row in OutboxMessage.objects.filter(kind__in=["receipt", "held"])
    }
    assert answered
    assert not postbag.by_machines & answered.keys()
    known = {address for user in postbag.players for address in user.verified_addresses()}
    unasked = OutboxMessage.objects.exclude(kind="invitation")  # which a player may have mailed to anybody
    assert set(unasked.values_list("to", flat=True)) <= known


def _require_sound_matches() -> None:
    for match in Match.objects.exclude(status="open"):
        assert match.position == codec.dump(replay.position_at(match, match.ply))
