"""`resign`, which asks, and `resign CODE`, which does it (mail-requirements.md T9, S3)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.inbox import tickets
from gemserver.inbox.models import Ticket
from gemserver.mailgate.handlers.command_request import CommandRequest, Handler
from gemserver.matches.actions.play.resign import require_holder, resign
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.models import Move, Seat
from gemserver.matches.refusal import Refused


def _resign(asked: CommandRequest) -> Message:
    seat = asked.require_seat()
    require_running(seat.match)
    require_holder(seat.match, asked.user)
    return _give_up(asked, seat) if asked.argument else _ask(asked, seat)


def _ask(asked: CommandRequest, seat: Seat) -> Message:
    """Make a code for this seat and holder; it stands in the answer alone."""
    asked.secrets["resign"] = tickets.issue(
        Ticket.Purpose.RESIGN, asked.user.mail_address() or "", now=asked.now, user=asked.user, seat=seat
    )
    return Message("You have not resigned {code} yet.", {"code": seat.match.code})


def _give_up(asked: CommandRequest, seat: Seat) -> Message:
    if not asked.is_binding:
        raise Refused(
            "not-binding",
            "To resign cannot be taken back, so it counts only in a mail from an address of yours to the reply address "
            "that the mails about {code} have. Answer the mail with the code.",
            code=seat.match.code,
        )
    ticket = tickets.find(Ticket.Purpose.RESIGN, asked.argument)
    fits = ticket is not None and ticket.seat_id == seat.pk and ticket.user_id == asked.user.pk
    if ticket is None or not fits or not tickets.is_open(ticket, asked.now):
        raise Refused(
            "wrong-code",
            "This code is not good for {code}, or not any more. To get a new one, write: resign",
            code=seat.match.code,
        )
    ticket.used_at = asked.now
    ticket.save(update_fields=["used_at"])
    resign(seat.match_id, asked.user, source=Move.Source.MAIL, request_id=asked.request_id, now=asked.now)
    return Message("You have resigned {code}.", {"code": seat.match.code})


RESIGN_COMMANDS: Mapping[str, Handler] = MappingProxyType({"resign": _resign})
