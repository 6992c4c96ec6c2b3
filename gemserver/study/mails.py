"""The mail with a hint, in the conversation of its match."""

from __future__ import annotations

from django.utils.translation import gettext

from gemserver.matches.mails.match_mails import MatchMail
from gemserver.matches.refusal import Refused
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage
from gemserver.study.hints import require_asked
from gemserver.study.models import Hint


def hint(message: OutboxMessage) -> Content | None:
    """Tell what a bot would play and what it expects; None once the question is answered."""
    found = Hint.objects.select_related("match", "user").filter(pk=message.data["hint"]).first()
    if found is None or not found.is_done:
        return None
    mail = MatchMail.read(message)
    try:
        seat = require_asked(mail.match, found.user)
    except Refused:
        return None
    if seat.prompt_ply != found.prompt_ply or not mail.is_holder:
        return None
    best, _ = found.moves[0]
    return mail.write(
        "hint",
        news=gettext("A hint"),
        best=best,
        worths=[(move, round(worth)) for move, worth in found.moves if worth is not None],
    )
