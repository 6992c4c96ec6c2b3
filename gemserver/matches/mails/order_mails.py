"""The mail about a proposal to take moves back."""

from __future__ import annotations

from django.utils.translation import gettext

from gemserver.matches import selectors
from gemserver.matches.actions.play.propose_undo import open_undo
from gemserver.matches.log import match_log
from gemserver.matches.mails.about_match import MatchMail
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage


def undo(message: OutboxMessage) -> Content | None:
    """A player asks to take moves back; None once that is settled or the match has gone on."""
    mail = MatchMail.read(message)
    proposal = open_undo(mail.match)
    if not mail.is_holder or proposal is None or proposal.pk != message.data["undo"]:
        return None
    rows = match_log.LogRows.read(mail.match, after_ply=proposal.first_ply - 1, seats=mail.seats)
    moves = match_log.tell_moves(mail.seat, rows, proposal.first_ply)
    first = mail.match.moves.filter(ply=proposal.first_ply, voided_at=None).first()
    notation = first.text if first and selectors.is_public(first) else ""
    proposer = mail.names[proposal.seat]
    told = {"name": proposer, "ply": proposal.first_ply}
    return mail.write(
        "undo",
        news=gettext("%(name)s asks to take back move %(ply)d") % told,
        proposer=proposer,
        undo=proposal,
        move=notation,
        moves=moves,
    )
