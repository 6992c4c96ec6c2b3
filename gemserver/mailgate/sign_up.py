"""People without an account who write to the lobby: one question a day, and an account once it is answered.

See mail-requirements.md L9.

No words of a stranger's are ever sent out, and nothing at all is sent to a sender who may be forged or a machine: this
server must not be made to send mail to third parties.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext

from games import registry
from games.contract import Message
from gemserver.accounts.models import UnreachableAddress, User
from gemserver.accounts.newcomers import create_account, known_language
from gemserver.inbox import tickets
from gemserver.inbox.models import InboundEmail, Ticket
from gemserver.inbox.results import LineResult, Verdict
from gemserver.lib import clock, signing
from gemserver.lib.mailto import mailto
from gemserver.lib.text import tidy
from gemserver.mailgate.authority import may_be_asked, sender_proof
from gemserver.mailgate.commands import Command, Line, read_subject
from gemserver.mailgate.letter import Letter
from gemserver.matches.models import Match
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import tell

WORDS = frozenset({"help", "games", "join", "new"})
"""Commands that a stranger may use."""

DAY = timedelta(days=1)
PER_DOMAIN_AND_HOUR = 50
"""Strangers of one domain who are asked per hour; some of `SIGN_UP_RATE` is left for others (mail-requirements.md
L8)."""
HOUR = timedelta(hours=1)
MOST_WISHES = 5

State = InboundEmail.State


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A person who has just answered the question: the account, and their earlier wishes."""

    user: User
    wishes: tuple[Command, ...]
    said: LineResult


def ask(letter: Letter) -> Verdict:
    """Ask a stranger to confirm, or keep silent; question and ticket are one commit, so a second run asks nothing.

    The subject counts if the text has no command (mail-requirements.md T7).
    """
    row, mail, lines = letter.row, letter.mail, letter.lines
    if not any(isinstance(line, Command) for line in lines):
        lines = read_subject(mail.subject)
    now = clock.now()
    address = mail.from_addresses[0]
    wishes = [line for line in lines if isinstance(line, Command) and line.name in WORDS][:MOST_WISHES]
    with transaction.atomic():
        wishes = wishes or _wishes_of_late_answer(address, lines)
        if reason := _reason_for_silence(letter, address, wishes, now):
            return Verdict(State.DROPPED, reason)
        data = {"wishes": [[wish.name, wish.argument] for wish in wishes], "language": mail.language}
        code = tickets.issue(Ticket.Purpose.SIGN_UP, address, now=now, data=dict(data))
        tell(
            None,
            "sign-up",
            thread=f"sign-up:{row.pk}",
            data={"secret": {"code": code}, **data},
            dedup_key=f"sign-up:{row.pk}",
            message_id=f"<j.{row.pk}.{signing.mac('j', row.pk)}@{settings.MAIL_DOMAIN}>",
            now=now,
            to=address,
            in_reply_to=f"<{row.message_id}>" if row.message_id else "",
        )
    return Verdict(State.DONE, "asked-to-confirm")


def _reason_for_silence(letter: Letter, address: str, wishes: Sequence[Command], now: datetime) -> str | None:
    """The reason not to answer a stranger, as a stable code."""
    asked = Ticket.objects.filter(purpose=Ticket.Purpose.SIGN_UP)
    if not wishes or letter.mail.looks_automatic:
        return "stranger"
    if not may_be_asked(letter.row):
        return "stranger-forged"
    if not address.isascii() or UnreachableAddress.objects.filter(address=address).exists():
        return "stranger-unreachable"
    if asked.filter(address=address, created_at__gt=now - DAY).exists():
        return "asked-already"
    lately = asked.filter(created_at__gt=now - HOUR)
    domain = address.rpartition("@")[2]
    if (
        lately.count() >= settings.SIGN_UP_RATE
        or lately.filter(address__endswith=f"@{domain}").count() >= PER_DOMAIN_AND_HOUR
    ):
        return "too-many-strangers"
    return None


def _wishes_of_late_answer(address: str, lines: Sequence[Line]) -> list[Command]:
    """The wishes behind a code that has come back too late: they are asked about anew."""
    for code in _codes(lines):
        ticket = tickets.find(Ticket.Purpose.SIGN_UP, code)
        if ticket and ticket.address == address and ticket.used_at is None:
            return _wishes(ticket)
    return []


def welcome(letter: Letter) -> Newcomer | None:
    """Make an account for a sender who returns a code to the lobby from the address it went to; else None.

    Safe to run again: the ticket remembers the mail that used it.
    """
    row, mail, codes = letter.row, letter.mail, _codes(letter.lines)
    if len(mail.from_addresses) != 1 or mail.from_list or sender_proof(row) == "fail":
        return None
    address = mail.from_addresses[0]
    for code in codes:
        with transaction.atomic():
            ticket = tickets.find(Ticket.Purpose.SIGN_UP, code)
            if ticket is None or ticket.address != address:
                continue
            if tickets.is_open(ticket, row.received_at):
                ticket.user = create_account(address, language=str(ticket.data.get("language", "")))
                ticket.used_at = clock.now()
                ticket.data["mail"] = row.pk
                ticket.save(update_fields=["user", "used_at", "data"])
            if ticket.user is not None and ticket.data.get("mail") == row.pk:
                return Newcomer(ticket.user, tuple(_wishes(ticket)), _said(code, ticket.user))
    return None


def _said(code: str, user: User) -> LineResult:
    return LineResult(
        f"confirm {code}",
        "done",
        "welcome",
        Message("You have an account; the others see you as “{name}”.", {"name": user.username}),
    )


def _codes(lines: Sequence[Line]) -> list[str]:
    return [line.argument for line in lines if isinstance(line, Command) and line.name == "confirm"][:3]


def _wishes(ticket: Ticket) -> list[Command]:
    return [Command(name, argument) for name, argument in ticket.data.get("wishes", [])]


def question(message: OutboxMessage) -> Content | None:
    """The mail that asks a stranger to confirm; it describes their wishes in our words, never in theirs."""
    secret = message.data.get("secret")
    if secret is None:
        return None
    with translation.override(known_language(message.data["language"])):
        subject = gettext("Your mail to the Gem server")
        context: dict[str, Any] = {
            "code": secret["code"],
            "games": [game.rules.meta.title for game in registry.GAMES.values()],
            "wishes": [
                text for name, argument in message.data["wishes"] if (text := _in_words(name, argument))
            ],
            "site_url": settings.SITE_URL,
            "confirm_url": mailto(settings.PLAY_ADDRESS, f"Re: {subject}", f"confirm {secret['code']}"),
            "subject": subject,
            "lead": subject,
            "preview": gettext("Do you want to play here? One answer makes your account."),
        }
        return Content(
            subject=subject,
            text=tidy(render_to_string("emails/sign_up.txt", context)),
            html=render_to_string("emails/sign_up.html", context),
            reply_to=settings.PLAY_ADDRESS,
            answers=True,
        )


def _in_words(name: str, argument: str) -> str:
    """The effect of a wish, in words that hold nothing but names of games and codes of matches."""
    word = argument.partition(" ")[0]
    if name == "new" and word in registry.GAMES:
        return gettext("You open a table of %(game)s.") % {"game": registry.GAMES[word].rules.meta.title}
    if name == "join" and word in registry.GAMES:
        return gettext("You sit down at a table of %(game)s.") % {
            "game": registry.GAMES[word].rules.meta.title
        }
    if name == "join" and Match.objects.filter(code=word.upper()).exists():
        return gettext("You sit down at the table %(code)s.") % {"code": word.upper()}
    return ""
