"""`resign`, which asks, and `resign CODE`, which does it (`email.md` T9, S3)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from games.contract import Message
from gemserver.inbox import tickets
from gemserver.inbox.models import Ticket
from gemserver.mailgate.errands.errand import Carry, Errand
from gemserver.matches.actions.play.resign import require_holder, resign
from gemserver.matches.actions.play.submit import require_running
from gemserver.matches.models import Move, Seat
from gemserver.matches.refusal import Refused


def _resign(errand: Errand) -> Message:
    seat = errand.require_seat()
    require_running(seat.match)
    require_holder(seat.match, errand.user)
    return _give_up(errand, seat) if errand.argument else _ask(errand, seat)


def _ask(errand: Errand, seat: Seat) -> Message:
    """A code for this seat and holder; it stands in the answer alone."""
    errand.secrets["resign"] = tickets.issue(
        Ticket.Purpose.RESIGN, errand.user.mail_address() or "", now=errand.now, user=errand.user, seat=seat
    )
    return Message("You have not resigned {code} yet.", {"code": seat.match.code})


def _give_up(errand: Errand, seat: Seat) -> Message:
    if not errand.is_binding:
        raise Refused(
            "not-binding",
            "To resign cannot be taken back, so it counts only in a mail from an address of yours to the reply address "
            "that the mails about {code} have. Answer the mail with the code.",
            code=seat.match.code,
        )
    ticket = tickets.find(Ticket.Purpose.RESIGN, errand.argument)
    fits = ticket is not None and ticket.seat_id == seat.pk and ticket.user_id == errand.user.pk
    if ticket is None or not fits or not tickets.is_open(ticket, errand.now):
        raise Refused(
            "wrong-code",
            "This code is not good for {code}, or not any more. To get a new one, write: resign",
            code=seat.match.code,
        )
    ticket.used_at = errand.now
    ticket.save(update_fields=["used_at"])
    resign(seat.match_id, errand.user, source=Move.Source.MAIL, request_id=errand.request_id, now=errand.now)
    return Message("You have resigned {code}.", {"code": seat.match.code})


RESIGN_COMMANDS: Mapping[str, Carry] = MappingProxyType({"resign": _resign})
