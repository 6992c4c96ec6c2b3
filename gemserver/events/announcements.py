"""News of seasons in words for other channels than mail, of nothing that a stranger may not know."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext, gettext_noop

from gemserver.events.models import Season
from gemserver.events.selectors import path_of
from gemserver.lib.text.plain import colon
from gemserver.matches import announcements
from gemserver.matches.notifications import OF_SEASONS
from gemserver.notify.content import Announcement
from gemserver.notify.models import OutboxMessage

_NEWS = {
    "season-started": gettext_noop("The season begins"),
    "season-over": gettext_noop("The season is over"),
    "season-off": gettext_noop("The season is not played"),
    "event-decision": gettext_noop("An organiser has decided"),
    "replace-asked": gettext_noop("You are asked to take over from a player"),
    "replace-answered": gettext_noop("Your question to a newcomer has been answered"),
}


def announce(message: OutboxMessage) -> Announcement | None:
    """Like `matches.announcements.announce`, for all kinds; of a private club's event not even the name is told."""
    if message.kind not in OF_SEASONS:
        return announcements.announce(message)
    season = Season.objects.select_related("event__club").filter(pk=message.data["season"]).first()
    if season is None:
        return None
    event = season.event
    if event.club is not None and event.club.is_private:
        return Announcement(title=gettext("News for you"), text="", path=reverse("events"))
    return Announcement(
        title=f"{colon(gettext(_NEWS[message.kind]))} {event.name}",
        text="",
        path=path_of(event),
        about={"event": event.slug, "game": event.game},
    )
