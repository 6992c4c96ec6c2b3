"""What moderators do with mails that did not arrive, or that wait for a player's consent."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from gemserver.accounts.models import User
from gemserver.accounts.roles import Role
from gemserver.lib.redaction import redact
from gemserver.mailgate.held import settle
from gemserver.mailgate.models import InboundEmail
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.moderation.measures.contract import Choices, Done, Measure, Order, Target
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import send_again


def _match_of_outgoing(message: OutboxMessage) -> Match | None:
    return Match.objects.filter(pk=message.data.get("match")).first()


def _match_of_incoming(row: InboundEmail) -> Match | None:
    return row.seat.match if row.seat else None


def _person_of_incoming(row: InboundEmail) -> User | None:
    """Of a mail to an account, which may hold answers for any match."""
    return None if row.seat else row.user


def _resend(order: Order, message: OutboxMessage, choices: Choices) -> Done:
    send_again(message.pk, now=order.now)
    return Done(redact(f"{message.kind} to {message.to}"), {"mail": message.message_id})


def _release(order: Order, row: InboundEmail, choices: Choices) -> Done:
    return _settle(row, "once")


def _reject(order: Order, row: InboundEmail, choices: Choices) -> Done:
    return _settle(row, "refuse")


def _settle(row: InboundEmail, choice: str) -> Done:
    if row.state != InboundEmail.State.HELD:
        raise Refused("not-held", "This mail is not held any more; look at what has become of it.")
    settle(row, choice)
    return Done(redact(row.sender), {"mail": row.pk, "received": str(row.received_at)})


RESEND = Measure(
    "resend",
    _("Send again"),
    Target.OUTGOING,
    Role.HELPER,
    _resend,
    _match_of_outgoing,
    applies=lambda message: message.state == OutboxMessage.State.FAILED,
)
RELEASE = Measure(
    "release",
    _("Let the mail act"),
    Target.INCOMING,
    Role.MODERATOR,
    _release,
    _match_of_incoming,
    person_of=_person_of_incoming,
    warning=_("Its sender is none of the player's addresses: ask the player first."),
    applies=lambda row: row.state == InboundEmail.State.HELD,
)
REJECT = Measure(
    "reject",
    _("Refuse the mail"),
    Target.INCOMING,
    Role.HELPER,
    _reject,
    _match_of_incoming,
    person_of=_person_of_incoming,
    warning=_("The seat gets a new reply address; the old one is dead."),
    applies=lambda row: row.state == InboundEmail.State.HELD,
)
