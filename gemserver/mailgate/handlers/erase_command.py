"""`erase`, which asks, and `erase CODE`, after which the account is erased (mail-requirements.md T9, S3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType

from django.conf import settings
from django.urls import reverse

from games.contract import Message
from gemserver.accounts.models import User
from gemserver.inbox import tickets
from gemserver.inbox.models import Ticket
from gemserver.lib import clock
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused

GOOD_FOR = timedelta(hours=1)


def _erase(request: CommandRequest) -> Message:
    if not (request.is_binding and request.is_proved()):
        raise Refused(
            "on-the-web",
            "By mail an account is erased only from its registered address, when its sender is proved (DMARC), and at "
            "an address that is yours alone. It can always be done on the web: {url}",
            url=settings.SITE_URL + reverse("erase"),
        )
    return _end(request) if request.argument else _ask(request)


def _ask(request: CommandRequest) -> Message:
    """Make a code, which stands in the answer alone, and tell what would be erased."""
    user = request.user
    request.secrets["erase"] = tickets.issue(
        Ticket.Purpose.ERASE, user.mail_address() or "", now=clock.now(), user=user, good_for=GOOD_FOR
    )
    return Message(
        "Nothing is erased yet. With your account go your name, addresses, mails, notes, and what you said at tables. "
        "You resign your running matches ({running}) and leave the tables that wait ({waiting}). The matches stay for "
        "those who played with you; you are “player 3” there.",
        {"running": _count(user, Match.Status.RUNNING), "waiting": _count(user, Match.Status.OPEN)},
    )


def _count(user: User, status: Match.Status) -> int:
    return user.seats.filter(match__status=status).count()


def _end(request: CommandRequest) -> Message:
    """Use up the code; the account is erased with the verdict on the mail, for the mail goes with it."""
    ticket = tickets.find(Ticket.Purpose.ERASE, request.argument)
    if ticket is None or ticket.user_id != request.user.pk or not tickets.is_open(ticket, request.now):
        raise Refused("wrong-code", "This code is wrong or no longer valid. To get a new one, write: erase")
    tickets.use(ticket, request.now)
    return Message("Your account is erased.")


ERASE_COMMANDS: Mapping[str, Handler] = MappingProxyType({"erase": _erase})
