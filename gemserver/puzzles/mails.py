"""The mail with the puzzle of the day; it is answered by a reply with the move."""

from __future__ import annotations

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.lib.text.mailto import mailto
from gemserver.lib.text.plain import end_sentence, tidy
from gemserver.matches.mails.about_match import OneTapMove
from gemserver.matches.refusal import Refused
from gemserver.notify.content import DEAD, Content, Image
from gemserver.notify.models import OutboxMessage
from gemserver.puzzles.answers import find_answer, measure_streak
from gemserver.puzzles.days import is_over
from gemserver.puzzles.models import StoredPuzzle
from gemserver.puzzles.posed import PosedPuzzle, say_streak
from gemserver.puzzles.sources import read_stored
from gemserver.puzzles.subscribing import KIND, is_subscribed


def puzzle(message: OutboxMessage) -> Content | None:
    """The board and the question; None once it is answered, over, or not wanted any more."""
    user = message.user
    stored = StoredPuzzle.objects.select_related("match").filter(pk=message.data[KIND]).first()
    if user is None or stored is None or stored.day is None or user.mail_mode == User.MailMode.OFF:
        return None
    if is_over(stored.day, clock.now()) or not is_subscribed(user) or find_answer(stored, user):
        return None
    try:
        posed = PosedPuzzle(stored, read_stored(stored))
    except Refused:
        return None
    news = gettext("Puzzle of the day")
    subject = f"[{news}] {stored.title}, {posed.day}"
    address = settings.ACCOUNT_REPLY.format(token=user.token)
    context = {
        "posed": posed,
        "subject": subject,
        "lead": end_sentence(posed.title),
        "preview": posed.task,
        "streak": say_streak(measure_streak(user, clock.now())),
        "moves": [
            OneTapMove(move, mailto(address, f"Re: {subject}", f"{KIND} {stored.day.isoformat()} {move}"))
            for move in posed.examples
        ],
        "settings_url": settings.SITE_URL + reverse("notifications"),
        "dead_channels": message.data.get(DEAD, ()),
        "channels_url": settings.SITE_URL + reverse("channels"),
    }
    return Content(
        subject=subject,
        text=tidy(render_to_string("emails/puzzle.txt", context)),
        html=render_to_string("emails/puzzle.html", context),
        reply_to=address,
        images=(Image("board", posed.picture()),),
        category=KIND,
    )
