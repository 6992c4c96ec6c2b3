"""Moderators' actions on mails that did not arrive, or that wait for a player's consent."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from gemserver.accounts.roles import Role
from gemserver.inbox import held_mail
from gemserver.inbox.models import InboundEmail
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused
from gemserver.moderation.actions.action import Action, ActionRequest, Changed, Choices
from gemserver.moderation.actions.targets import Target
from gemserver.notify.models import OutboxMessage
from gemserver.notify.outbox import send_again


def _resend(asked: ActionRequest, message: OutboxMessage, choices: Choices) -> Changed:
    send_again(message.pk, now=asked.now)
    match = Target.OUTGOING.match_of(message)
    if match and message.user:
        _tell_table(asked, match, "mail-again", message.pk, name=message.user.pk)
    return {"mail": message.message_id}


def _release(asked: ActionRequest, row: InboundEmail, choices: Choices) -> Changed:
    return _answer(asked, row, "once", "mail-released")


def _reject(asked: ActionRequest, row: InboundEmail, choices: Choices) -> Changed:
    return _answer(asked, row, "refuse", "mail-rejected")


def _answer(asked: ActionRequest, row: InboundEmail, choice: str, kind: str) -> Changed:
    """Decide about a held mail; if its player does so at the same moment, the first to lock it wins."""
    found = held_mail.lock(row.pk)
    if found is None or found.state != InboundEmail.State.HELD or found.seat is None:
        raise Refused("not-held", "This mail is not held any more; look at what has become of it.")
    held_mail.answer(found, choice)
    _tell_table(asked, found.seat.match, kind, found.pk, player=found.seat.index)
    return {"mail": found.pk, "received": str(found.received_at)}


def _tell_table(asked: ActionRequest, match: Match, kind: str, pk: int, **data: str | int) -> None:
    key = f"{kind}:{pk}:{asked.now.isoformat()}"
    notices.post(lock_match(match.pk), kind, key, now=asked.now, why=asked.reason, **data)


RESEND = Action(
    "resend",
    _("Send again"),
    Target.OUTGOING,
    Role.HELPER,
    _resend,
    applies=lambda message: message.state == OutboxMessage.State.FAILED,
)
RELEASE = Action(
    "release",
    _("Let the mail act"),
    Target.INCOMING,
    Role.MODERATOR,
    _release,
    warning=_("Its sender is none of the player's addresses: ask the player first."),
    applies=held_mail.is_held,
)
REJECT = Action(
    "reject",
    _("Refuse the mail"),
    Target.INCOMING,
    Role.HELPER,
    _reject,
    warning=_("The seat gets a new reply address; the old one is dead."),
    applies=lambda row: row.state == InboundEmail.State.HELD,
)
