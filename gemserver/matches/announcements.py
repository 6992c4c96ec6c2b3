"""News in words for other channels than mail, made of nothing that a spectator may not know.

A chat is read by others, and a telephone lies on a table. So these sentences know no hand, no order, no message and no
sitter's request: they name the match and what everybody can see there, or say that there is news.
"""

from __future__ import annotations

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop

from gemserver.clubs.models import Club
from gemserver.lib.text.plain import colon
from gemserver.matches.clubs.club_notices import KIND
from gemserver.matches.mails.vacation_mails import KIND as VACATION_ENDS
from gemserver.matches.models import Match, Seat
from gemserver.matches.notifications import TOPIC_OF
from gemserver.notify.content import TEST, Announcement
from gemserver.notify.models import OutboxMessage

_PUBLIC = {
    "turn": gettext_noop("Your turn"),
    "reminder": gettext_noop("Reminder"),
    "timeout": gettext_noop("Your time ran out"),
    "replaced": gettext_noop("You do not play any more"),
    "away": gettext_noop("A bot plays for you"),
    "started": gettext_noop("The match begins"),
    "seat-given": gettext_noop("The seat is yours"),
    "cancelled": gettext_noop("The table was cancelled"),
    "terms-changed": gettext_noop("The terms of the table have changed"),
    "removed": gettext_noop("You do not sit at the table any more"),
    "finished": gettext_noop("The match is over"),
    "review": gettext_noop("A bot has gone through the match"),
    "hint": gettext_noop("A hint is ready"),
}
"""Kinds of news that everybody can read in the log of a match or among its players; others are only `_NEWS`."""
_NEWS = gettext_noop("News for you")
_PAGES = {"review": "match-review", "hint": "match-hint"}
"""Pages with what a reader has asked a bot; neither the moves nor what it thinks of them are told."""


def announce(message: OutboxMessage) -> Announcement | None:
    """Write it, in the active language and zone; None for a kind that leaves by mail alone."""
    if message.kind == TEST:
        return Announcement(
            gettext("This is a test"), gettext("This is how Gem server will tell you."), reverse("channels")
        )
    if message.kind not in TOPIC_OF and not _is_asked_of_bot(message):
        return None
    if message.kind == KIND:
        return _of_club(Club.objects.get(pk=message.data["club"]))
    if message.kind == VACATION_ENDS:  # which matches wait is for the mail alone: some may be private
        return Announcement(
            title=gettext("Your vacation ends: your clocks run again tomorrow"), text="", path=reverse("home")
        )
    match = Match.objects.filter(pk=message.data["match"]).first()
    if match is None:
        return None
    kind = _kind_by_now(message)
    news = gettext(_PUBLIC[kind]) if kind in _PUBLIC else gettext(_NEWS)
    if match.club and match.club.is_private:  # anybody may read what a chat is told
        return Announcement(title=news, text="", path=reverse("home"), kind=kind)
    return Announcement(
        title=f"{colon(news)} {match.title} {match.code}",
        text=_due(match, message) if kind in {"turn", "reminder"} else "",
        path=reverse(_PAGES.get(kind, "match"), args=[match.code]),
        about={"match": match.code, "game": match.game},
        kind=kind,
    )


def _kind_by_now(message: OutboxMessage) -> str:
    """The kind of the news: a turn that tells of the start too tells of that alone, once it is answered."""
    if message.kind != "turn" or not message.data.get("starts"):
        return message.kind
    asked = Seat.objects.filter(match=message.data["match"], index=message.data["seat"], is_waiting=True)
    return "turn" if asked.filter(prompt_ply=message.data["turn"]).exists() else "started"


def _is_asked_of_bot(message: OutboxMessage) -> bool:
    """True for an answer of a bot, but for a hint that was asked for by mail."""
    return message.kind == "review" or (message.kind == "hint" and bool(message.data.get("by_channel")))


def _of_club(club: Club) -> Announcement:
    """Of a private club not even the name is told."""
    if club.is_private:
        return Announcement(title=gettext(_NEWS), text="", path=reverse("clubs"))
    title = f"{colon(gettext(_NEWS))} {club.name}"
    return Announcement(title=title, text="", path=reverse("club", args=[club.slug]))


def _due(match: Match, message: OutboxMessage) -> str:
    """When the move is due, as the page of the match tells everybody; empty while the clock stands."""
    seat = Seat.objects.filter(match=match, index=message.data["seat"], is_waiting=True).first()
    if seat is None or seat.due_at is None:
        return ""
    due = date_format(timezone.localtime(seat.due_at), "D j M H:i T")
    return gettext("Due %(due)s.") % {"due": due}
