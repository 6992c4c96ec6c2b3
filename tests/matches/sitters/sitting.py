"""Helpers for tests of sitters: begin a sitting, play and write as the sitter, read both players' mails."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from django.core import mail
from django.core.mail import EmailMultiAlternatives

from gemserver.accounts.models import User
from gemserver.inbox.models import InboundEmail
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.models import Match, Move, Seat, Sitting
from gemserver.notify import delivery
from tests.builders import NOON, asked
from tests.logs import read_log
from tests.mailgate.letters import letter, receive_at

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
TODAY, SUNDAY = date(2026, 3, 6), date(2026, 3, 8)
MONDAY = datetime(2026, 3, 9, tzinfo=NOON.tzinfo)
"""The end of a sitting until Sunday."""


def sit(match: Match, sitter: User, *, first: date = TODAY, last: date = SUNDAY) -> Sitting:
    """Give the seat that is to move to the sitter, who agrees."""
    seat = asked(match)
    assert seat.user
    sitting = propose_sitting(match.pk, seat.user, sitter.username, first, last, now=NOON)
    agree_to_sit(sitting.pk, sitter, now=NOON)
    return Sitting.objects.select_related("seat__match", "sitter", "player").get(pk=sitting.pk)


def play_as(sitter: User, seat: Seat, text: str, at: datetime = NOON) -> Move:
    actor = Actor.player(sitter)
    request = Request(seat.match.code, actor, text, Move.Source.WEB, f"test:{sitter.pk}:{text}")
    return submit(request, now=at).moves[0]


def mails_to(user: User) -> list[EmailMultiAlternatives]:
    mail.outbox.clear()
    delivery.send_queued()
    return [message for message in mail.outbox if message.to == [user.email]]


def write(
    sitting: Sitting, body: str, *, sender: str = "eva@example.org", at: datetime = NOON
) -> InboundEmail:
    raw = letter(sitting.seat, body, sender=sender, To=sitting.reply_address)
    return receive_at(sitting.reply_address, raw, sender=sender, at=at)


def hand_in(text: str) -> str:
    """The beginning of the hand on a page; empty if the page shows none."""
    found = re.search(r"your hand: (.{20})", text)
    return found[1] if found else ""


def log_of(match: Match, seat: Seat | None = None) -> str:
    return " ".join(line for entry in read_log(match, seat) for line in entry.sentences)
