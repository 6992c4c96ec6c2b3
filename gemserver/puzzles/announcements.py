"""The puzzle of the day in words for other channels than mail: a chat gets its game and a link, never an answer."""

from __future__ import annotations

from gemserver.events import announcements
from gemserver.matches.refusal import Refused
from gemserver.notify.content import Announcement
from gemserver.notify.models import OutboxMessage
from gemserver.puzzles.models import StoredPuzzle
from gemserver.puzzles.posed import PosedPuzzle
from gemserver.puzzles.sources import read_stored
from gemserver.puzzles.subscribing import KIND


def announce(message: OutboxMessage) -> Announcement | None:
    """Like `events.announcements.announce`, for all kinds."""
    if message.kind != KIND:
        return announcements.announce(message)
    stored = StoredPuzzle.objects.select_related("match").filter(pk=message.data[KIND]).first()
    if stored is None or stored.day is None:
        return None
    try:
        posed = PosedPuzzle(stored, read_stored(stored))
    except Refused:
        return None
    return Announcement(
        title=posed.title, text=posed.task, path=stored.get_absolute_url(), about={"game": stored.game}
    )
