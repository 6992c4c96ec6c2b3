"""The clock, the players and the mails of a scene."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.mailgate import processing
from gemserver.mailgate.ingest import ingest
from gemserver.matches import sweeps
from gemserver.matches.models import Heartbeat, Match, Seat
from gemserver.notify import delivery
from tests.builders import is_asked, make_match, make_user, play_until

NOW = datetime(2026, 3, 6, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
DEAL = "5eed" * 16
TALK = "That was close! 🎲 I did not see the ruby coming at all, and I am glad of it. שלום\n\nbid 3?"


@dataclass
class Stage:
    """The clock and the language of a scene, and its players."""

    language: str
    now: datetime = NOW

    def player(self, name: str = "ana", shown: str = "", **fields: object) -> User:
        """A player in Paris; `shown` is a name that is no mail address."""
        fields = {"language": self.language, "time_zone": "Europe/Paris", **fields}
        user = make_user(name, **fields)
        if shown:
            user.username = shown
            user.save()
        return user

    def players(self, count: int = 3) -> list[User]:
        """Ana, somebody with a long name, and others."""
        return [
            self.player(),
            self.player("ben", "Bartholomaeus Maximilian"),
            *(self.player(f"cy{number}", f"שרה{number}") for number in range(count - 2)),
        ]

    def match(self, slug: str = "gem", plies: int = 6, count: int = 3, **fields: object) -> Match:
        """A match that has got so far and asks its first player."""
        players = self.players(count)
        begun = make_match(slug, players=players, server_part=DEAL, now=self.now, **fields)  # type: ignore[arg-type]
        waits = is_asked(players[0])
        return play_until(begun, lambda match: match.ply >= plies and waits(match), now=self.now)

    def wait(self, span: timedelta) -> None:
        """Let time pass, with the server running."""
        delivery.send_queued()
        self.now += span
        Heartbeat.objects.update(at=self.now)
        sweeps.act_on_deadlines()

    def write(
        self, sender: str, body: str, to: str, subject: str = "Re: my move", *fields: tuple[str, str]
    ) -> None:
        """Let the server read this mail, whose sender is proved."""
        letter = EmailMessage()
        letter["From"], letter["To"], letter["Subject"], letter["Date"] = sender, to, subject, self.now
        letter["Message-ID"] = f"<{InboundEmail.objects.count()}@client.example.org>"
        letter.set_content(body)
        for name, value in fields:
            letter[name] = value
        ingest(letter.as_bytes(), sender, to, "smtp", {"dmarc": "pass"})
        processing.process_stored()

    def answer(self, seat: Seat, body: str) -> None:
        """Let the seat's player write to the seat's own address."""
        assert seat.user is not None
        delivery.send_queued()
        self.write(seat.user.email, body, seat.reply_address)

    def command(self, user: User, body: str) -> None:
        """Let a player write to the account's own address."""
        self.write(user.email, body, f"me+{user.token}@gem.localhost")


def asked_of(match: Match) -> Seat:
    """The first of the seats that the match waits for."""
    seat = match.seats.select_related("user", "match").filter(is_waiting=True).order_by("index").first()
    assert seat is not None
    return seat
