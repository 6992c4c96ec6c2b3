"""Log lines of a match that are not moves, such as stopped clocks, agreements and changes of seats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop

from games.contract import Json, seat_letter
from gemserver.accounts.models import User
from gemserver.lib.database.prepared_writes import PreparedInsert
from gemserver.lib.text.plain import end_sentence
from gemserver.matches.models import Match, Notice
from gemserver.matches.words.contests import name_contest
from gemserver.matches.words.messages import show_day

SENTENCES: Mapping[str, str] = {
    "downtime": gettext_noop(
        "The server was down from %(start)s to %(end)s. That time counts on nobody's clock."
    ),
    "mail-down": gettext_noop(
        "The server has been unable to send mail since %(start)s. All clocks stand still until it can again."
    ),
    "mail-back": gettext_noop(
        "The server could not send mail from %(start)s to %(end)s. That time counts on nobody's clock."
    ),
    "paused": gettext_noop("The match is paused: %(why)s All clocks stand still."),
    "unpaused": gettext_noop("A moderator ends the pause; the clocks run again: %(why)s"),
    # Rows from before the reason was shown.
    "resumed": gettext_noop("The pause is over; the clocks run again."),
    "game-failed": gettext_noop(
        "The rules of this game have failed. All clocks stand still, and the operators have been told."
    ),
    "vacation": gettext_noop("%(player)s is on vacation from %(first)s to %(last)s."),
    "vacation-off": gettext_noop("%(player)s is back from vacation."),
    "holiday": gettext_noop("%(player)s proposes a table holiday from %(first)s to %(last)s."),
    "holiday-agreed": gettext_noop(
        "All agree: the table has a holiday from %(first)s to %(last)s. These days count on nobody's clock."
    ),
    "holiday-refused": gettext_noop("%(player)s refuses the holiday that was proposed."),
    "away": gettext_noop(
        "%(player)s has no time left in this match. A bot plays on until %(player)s is back."
    ),
    "came-back": gettext_noop(
        "%(player)s is back, with some of the time that is left before the match ends."
    ),
    "seat-open": gettext_noop(
        "The player of seat %(letter)s did not answer twice in a row. A bot plays on until somebody takes the seat."
    ),
    "cut-off": gettext_noop(
        "Mail to %(player)s comes back. The clocks run on, but a missed turn does not cost the seat meanwhile."
    ),
    "reached": gettext_noop("%(player)s gets mail again."),
    "seat-taken": gettext_noop("%(player)s takes over seat %(letter)s."),
    "sitting-days": gettext_noop("%(sitter)s plays for %(player)s from %(first)s through %(last)s."),
    # Rows from before the days were written.
    "sitting": gettext_noop("%(sitter)s plays for %(player)s from %(start)s to %(end)s."),
    "sitting-over": gettext_noop("%(sitter)s does not play for %(player)s any more."),
    "extended": gettext_noop("A moderator gives %(player)s more time (hours: %(hours)s): %(why)s"),
    "seat-opened": gettext_noop(
        "A moderator opens seat %(letter)s; a bot plays on until somebody takes it: %(why)s"
    ),
    "message-removed": gettext_noop("A moderator has removed a message of %(player)s: %(why)s"),
    "mail-again": gettext_noop("A moderator has a mail to %(name)s sent again: %(why)s"),
    "mail-released": gettext_noop("A moderator lets a mail from another address act for %(player)s: %(why)s"),
    "mail-rejected": gettext_noop(
        "A moderator refuses a mail for %(player)s that came from another address: %(why)s"
    ),
    "imported": gettext_noop(
        "An operator has imported the match from a record. Its times are those of the import."
    ),
    "adjudicated": gettext_noop("A moderator ends the match: %(why)s"),
    "ended-by-organiser": gettext_noop("An organiser of the event ends the match: %(why)s"),
    "season-over": gettext_noop("The season is over; the match counts as it stands."),
    "sealed": gettext_noop(
        "%(player)s has handed in sealed orders for %(context)s, version %(version)s: %(hash)s"
    ),
    "settled": gettext_noop("The bids: %(bids)s."),
    "voided": gettext_noop(
        "A moderator takes the match back to before move %(from_ply)s: %(why)s "
        "What has been shown since then stays known to those who saw it."
    ),
    "restored": gettext_noop("A moderator puts back what was taken back, up to move %(to_ply)s: %(why)s"),
    "undo": gettext_noop("%(player)s asks to go back to before move %(from_ply)s."),
    "undo-agreed": gettext_noop("All agree: the match goes back to before move %(from_ply)s."),
    "undo-refused": gettext_noop("%(player)s does not agree to taking moves back."),
    "resigned": gettext_noop("%(player)s resigns."),
    "seat-resigned": gettext_noop("The player of seat %(letter)s resigns. A bot plays on."),
    "seat-resigned-open": gettext_noop(
        "The player of seat %(letter)s resigns. A bot plays on until somebody takes the seat."
    ),
    "seat-to-bot": gettext_noop("A moderator gives seat %(letter)s to a bot: %(why)s"),
    "seat-by-organiser": gettext_noop("An organiser gives seat %(letter)s to %(player)s: %(why)s"),
    "seat-to-player": gettext_noop("A moderator gives seat %(letter)s to %(player)s: %(why)s"),
    "result-voided": gettext_noop("A moderator takes the match out of the ratings: %(why)s"),
    "rated": gettext_noop("Ratings: %(ratings)s."),
    "unrated-voided": gettext_noop("Not rated: a moderator has taken the match out of the ratings."),
    "unrated-adjudicated": gettext_noop("Not rated: the match was broken off before it was played out."),
    "unrated-guest": gettext_noop("Not rated: a guest has played."),
    "unrated-bot": gettext_noop("Not rated: a bot has played among people."),
    "unrated-one-hand": gettext_noop("Not rated: two seats were one person's."),
    "unrated-unequal": gettext_noop("Not rated: an option has made the seats unequal."),
    "unrated-handed-over": gettext_noop(
        "Not rated: seats were given to others, and fewer than two players are left."
    ),
    "unrated-removed": gettext_noop("Not rated: accounts were erased, and fewer than two players are left."),
    "unrated-aborted": gettext_noop("Not rated: fewer than two players have ever moved."),
    "unrated-too-short": gettext_noop("Not rated: somebody resigned before everybody had moved twice."),
}
"""The sentence of each kind. Its parameters are in the notice's `data`: instants and days as ISO texts, a player as
the index of the seat."""

YOURS: Mapping[str, str] = {
    "vacation": gettext_noop("You are on vacation from %(first)s to %(last)s."),
    "away": gettext_noop("You have no time left in this match. A bot plays on until you are back."),
    "came-back": gettext_noop("You are back, with some of the time that is left before the match ends."),
    "vacation-off": gettext_noop("You are back from vacation."),
    "holiday": gettext_noop("You propose a table holiday from %(first)s to %(last)s."),
    "holiday-refused": gettext_noop("You refuse the holiday that was proposed."),
    "cut-off": gettext_noop(
        "Mail to you comes back. The clocks run on, but a missed turn does not cost the seat meanwhile."
    ),
    "reached": gettext_noop("You get mail again."),
    "seat-taken": gettext_noop("You take over seat %(letter)s."),
    "sitting": gettext_noop("%(sitter)s plays for you from %(start)s to %(end)s."),
    "sitting-over": gettext_noop("%(sitter)s does not play for you any more."),
    "extended": gettext_noop("A moderator gives you more time (hours: %(hours)s): %(why)s"),
    "undo": gettext_noop("You ask to go back to before move %(from_ply)s."),
    "undo-refused": gettext_noop("You do not agree to taking moves back."),
    "resigned": gettext_noop("You resign."),
}
"""The sentences of those kinds that address their player."""

PROOFS = frozenset({"sealed"})
"""The kinds that are for checking only: the page of the deal has them, the log does not."""

TAKEOVERS = ("seat-taken", "seat-to-player", "seat-by-organiser")
"""The kinds that announce a new holder; in their keys the seat index follows the kind."""

RESIGNATIONS = frozenset({"resigned", "seat-resigned", "seat-resigned-open"})
"""The kinds that announce a resignation; each follows the ply of that resignation."""

ENDS = frozenset({"resigned", "adjudicated", "ended-by-organiser", "season-over"})
"""The kinds that say how a match ended that was not played out."""

_OF_BIDS = frozenset({"bids", "late"})
_OF_RATINGS = frozenset({"ratings"})
_INSTANTS = frozenset({"start", "end"})
_DAYS = frozenset({"first", "last"})
_USERS = frozenset({"sitter", "name"})
"""Accounts by number, whose names change and may have to go."""


def post(match: Match, kind: str, key: str, *, now: datetime, **data: Json) -> bool:
    """Write a line into the log; False if this key is in it already. The caller holds the match's lock."""
    notice = Notice(match=match, key=key, ply=match.ply, kind=kind, data=data, created_at=now)
    return bool(_insert([notice]))


_insert = PreparedInsert(Notice, ignore_conflicts=True)


def sentence(notice: Notice, names: Sequence[str], you: int | None = None) -> str:
    """The notice in the active language and time zone; `names` are the players' names in seat order.

    `you`: the reader's own seat, which is addressed.
    """
    data = notice.data
    is_you = you is not None and data.get("player") == you
    listed = _OF_BIDS | _OF_RATINGS
    shown = {name: _show(name, value, names) for name, value in data.items() if name not in listed}
    if "ratings" in data:
        shown["ratings"] = ", ".join(_tell_rating(change, names, you) for change in data["ratings"])
    if "bids" in data:
        shown["bids"] = ", ".join(_tell_bid(seat, amount, data, names, you) for seat, amount in data["bids"])
    template = YOURS.get(notice.kind) if is_you else None
    return gettext(template or SENTENCES[notice.kind]) % shown


def _tell_bid(
    seat: int, amount: int | None, data: Mapping[str, Any], names: Sequence[str], you: int | None
) -> str:
    """One seat's part of the line about a settled contest."""
    shown = {"name": gettext("you") if seat == you else names[seat], "amount": amount}
    if amount is not None:
        return gettext("%(name)s %(amount)s") % shown
    if seat in data["late"]:
        return gettext("you are out of time") if seat == you else gettext("%(name)s is out of time") % shown
    return gettext("you pass") if seat == you else gettext("%(name)s passes") % shown


def _tell_rating(change: Mapping[str, Any], names: Sequence[str], you: int | None) -> str:
    """One player's part of the line about ratings; who has left the seat is not named, as others played on there."""
    seat = change["seat"]
    if change["is_former"]:
        name = gettext("the former player of seat %(letter)s") % {"letter": seat_letter(seat)}
    else:
        name = gettext("you") if seat == you else names[seat]
    shown = {"name": name, "before": change["before"], "after": change["after"]}
    if change["is_spared"]:
        return gettext("%(name)s stays at %(after)s, as one absence costs only once") % shown
    return gettext("%(name)s %(before)s → %(after)s") % shown


def _show(name: str, value: str | int, names: Sequence[str]) -> str:
    if name == "player":
        return names[int(value)]
    if name in _USERS and isinstance(value, int):
        user = User.objects.filter(pk=value).first()
        return user.shown_name if user else gettext("somebody")
    if name in _DAYS:
        return show_day(date.fromisoformat(str(value)))
    if name in _INSTANTS:
        return date_format(timezone.localtime(datetime.fromisoformat(str(value))), "j M H:i T")
    if name == "why":
        return end_sentence(str(value))
    if name == "context":
        return name_contest(str(value))
    return str(value)
