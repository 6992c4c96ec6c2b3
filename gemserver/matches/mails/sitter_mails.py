"""Mails about sitting: the request, the answer, and the end."""

from __future__ import annotations

from django.utils.translation import gettext

from gemserver.lib import clock
from gemserver.matches import sitters
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import Sitting
from gemserver.notify.content import Content, Gone
from gemserver.notify.models import OutboxMessage


def asked(message: OutboxMessage) -> Content | None:
    """A player asks the reader to sit for them; None once the request is settled."""
    sitting = _sitting(message)
    if sitting.agreed_at or not sitters.current(clock.now()).filter(pk=sitting.pk, ended_at=None).exists():
        return None
    mail = MatchMail.read(message)
    return mail.write(
        "sit-asked",
        news=gettext("Will you play for %(name)s?") % {"name": mail.seat.name},
        with_board=False,
        about=sitting,
        reply_to=sitting.reply_address,
    )


def answered(message: OutboxMessage) -> Content | None:
    """The asked player's yes or no; None once the sitting has ended, or somebody else holds the seat."""
    sitting = _sitting(message)
    mail = MatchMail.read(message)
    is_over = sitting.agreed_at is not None and sitting.ended_at is not None
    if is_over or not mail.is_holder:
        return None
    says = gettext("%(name)s plays for you") if sitting.agreed_at else gettext("%(name)s cannot play for you")
    news = says % {"name": sitting.sitter.shown_name}
    return mail.write("sit-answered", news=news, with_board=False, about=sitting)


def over(message: OutboxMessage) -> Content | None:
    """The sitting is over: the player gets the open question again, the sitter gets thanks."""
    mail = MatchMail.read(message)
    is_players = message.data.get("is_players", mail.is_holder)  # rows of version 1.0 say nothing of it
    if not mail.match.is_running or is_players != mail.is_holder:
        return None
    news = gettext("You play yourself again") if is_players else gettext("You are no longer a sitter")
    # None when the other of the two has erased the account.
    about = Sitting.objects.select_related("player", "sitter").filter(pk=message.data["about"]).first()
    return mail.write("sit-over", news=news, with_board=is_players, about=about)


def _sitting(message: OutboxMessage) -> Sitting:
    """Raises Gone when the other of the two has erased the account."""
    sittings = Sitting.objects.select_related("player", "sitter", "seat")
    sitting = sittings.filter(pk=message.data["about"]).first()
    if sitting is None:
        raise Gone(f"sitting {message.data['about']}")
    return sitting
