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


def _resign(request: CommandRequest) -> Message:
    seat = request.require_seat()
    require_running(seat.match)
    require_holder(seat.match, request.user)
    return _give_up(request, seat) if request.argument else _ask(request, seat)


def _ask(request: CommandRequest, seat: Seat) -> Message:
    """Make a code for this seat and holder; it stands in the answer alone."""
    request.secrets["resign"] = tickets.issue(
        Ticket.Purpose.RESIGN,
        request.user.mail_address() or "",
        now=request.now,
        user=request.user,
        seat=seat,
    )
    return Message("You have not resigned {code} yet.", {"code": seat.match.code})


def _give_up(request: CommandRequest, seat: Seat) -> Message:
    if not request.is_binding:
        raise Refused(
            "not-binding",
            "Resigning cannot be taken back, so it counts only in a mail from an address of yours to the "
            "reply address that the mails about {code} have. Answer the mail with the code.",
            code=seat.match.code,
        )
    ticket = tickets.find(Ticket.Purpose.RESIGN, request.argument)
    fits = ticket is not None and ticket.seat_id == seat.pk and ticket.user_id == request.user.pk
    if ticket is None or not fits or not tickets.is_open(ticket, request.now):
        raise Refused(
            "wrong-code",
            "This code is wrong or no longer valid for {code}. To get a new one, write: resign",
            code=seat.match.code,
        )
    tickets.use(ticket, request.now)
    resign(
        seat.match_id, request.user, source=Move.Source.MAIL, request_id=request.request_id, now=request.now
    )
    return Message("You have resigned {code}.", {"code": seat.match.code})


RESIGN_COMMANDS: Mapping[str, Handler] = MappingProxyType({"resign": _resign})
