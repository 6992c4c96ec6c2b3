"""Mails about matches: a function for each kind writes it from its outbox row, in its reader's language and zone.

If the news is stale by the time the mail is sent (a turn already played), the function returns None.
"""

from __future__ import annotations

import logging
from datetime import datetime

from django.utils.translation import gettext

from gemserver.accounts.reachability import is_cut_off
from gemserver.matches import replay, selectors, timing
from gemserver.matches.broken_games import stops_when_broken
from gemserver.matches.log import notices
from gemserver.matches.mails.about_match import MatchMail
from gemserver.matches.models import Match, Move
from gemserver.matches.notifications import TOPIC_OF
from gemserver.matches.offered.game_guard import UNPLAYABLE
from gemserver.matches.prompts import has_open_contest
from gemserver.matches.share_links import find_share_links
from gemserver.matches.words.clocks import absence_sentence, clock_terms
from gemserver.matches.words.moves import say_played
from gemserver.notify.content import Content
from gemserver.notify.models import OutboxMessage

log = logging.getLogger(__name__)


@stops_when_broken
def turn(message: OutboxMessage) -> Content | None:
    """It has become the player's turn; with `starts` in its row the match has just begun, and it tells that too."""
    mail = MatchMail.read(message)
    if message.data.get("starts"):
        return _write_start(mail, TOPIC_OF["turn"])
    if not mail.is_readers_turn:
        return None
    news = mail.say_turn()
    return mail.write("turn", news=news, preview=mail.preview_turn(news))


@stops_when_broken
def reminder(message: OutboxMessage) -> Content | None:
    """The player's time is running out; None if the player has looked at the match since the reminder fell due.

    None too if it fell due in an outage that was noticed only later; it comes again when its lead is left.
    """
    mail = MatchMail.read(message)
    fell_due = datetime.fromisoformat(message.data["fell_due"])
    if not mail.is_readers_turn or (mail.seat.seen_at and mail.seat.seen_at >= fell_due):
        return None
    if timing.is_stopped_at(mail.match, fell_due):
        return None
    news = gettext("Reminder: %(task)s") % {"task": mail.task} if mail.task else gettext("Reminder")
    return mail.write(
        "reminder",
        news=news,
        preview=mail.preview_turn(news),
        consequence=absence_sentence(mail.match),
    )


@stops_when_broken
def started(message: OutboxMessage) -> Content | None:
    """The match has begun: the seats, and the clocks. Who is asked at once gets `turn` instead."""
    return _write_start(MatchMail.read(message))


def _write_start(mail: MatchMail, category: str = "") -> Content:
    """Tell of the start, and ask for the first move if it is the reader's turn."""
    news = gettext("The match begins")
    is_asked = mail.is_readers_turn
    if is_asked and mail.task:
        news = gettext("The match begins: %(task)s") % {"task": mail.task}
    return mail.write(
        "started",
        news=news,
        preview=mail.preview_turn(news) if is_asked else "",
        category=category,
        with_board=is_asked,
        is_asked=is_asked,
        seats=mail.seats,
        terms=clock_terms(mail.match),
    )


@stops_when_broken
def timeout(message: OutboxMessage) -> Content | None:
    """Time ran out and the server moved; None once the seat is no longer the reader's to play."""
    mail = MatchMail.read(message)
    if mail.shown_seat is None:
        return None
    seat, played = mail.seat, message.data["text"]
    is_same_prompt = seat.prompt_ply == mail.turn
    by_clock = mail.match.moves.filter(seat=seat.index, source=Move.Source.CLOCK, voided_at=None)
    move = by_clock.filter(ply__gte=mail.turn).order_by("ply").first() if played else None
    return mail.write(
        "timeout",
        news=gettext("Your time ran out"),
        played=say_played(move) if move else played,
        by_bot=mail.match.absence == Match.Absence.BOT,
        may_order=is_same_prompt and not played and has_open_contest(mail.match, replay.position(mail.match)),
        is_asked_again=seat.is_waiting and not is_same_prompt,
    )


def away(message: OutboxMessage) -> Content | None:
    """The player's time for the whole match is used up, or the match must end; None once the player is back."""
    mail = MatchMail.read(message)
    if mail.shown_seat is None or not mail.shown_seat.is_away:
        return None
    ends = mail.match.play_until is not None and message.created_at >= mail.match.play_until
    news = (
        gettext("A bot plays for you to the end")
        if ends
        else gettext("A bot plays for you until you are back")
    )
    return mail.write("away", news=news, with_board=False, ends=ends)


def replaced(message: OutboxMessage) -> Content | None:
    """Somebody else holds the player's seat: a bot, after too long an absence, or a moderator's choice."""
    mail = MatchMail.read(message)
    news = gettext("You do not play any more")
    return mail.write("replaced", news=news, with_board=False, why=message.data.get("why"))


def restored(message: OutboxMessage) -> Content | None:
    """A moderator has put moves back; None once the match is over, or for a player who has left."""
    mail = MatchMail.read(message)
    if not (mail.is_holder and mail.match.is_running):
        return None
    news = gettext("Moves were put back")
    return mail.write("restored", news=news, why=message.data["why"], last=message.data["turn"])


def seat_given(message: OutboxMessage) -> Content | None:
    """The reader now holds a seat of a running match; None once somebody else does."""
    mail = MatchMail.read(message)
    if not (mail.is_holder and mail.match.is_running):
        return None
    return mail.write(
        "seat-given",
        news=gettext("The seat is yours"),
        why=message.data.get("why"),
        seats=mail.seats,
        terms=clock_terms(mail.match),
    )


def cut_off(message: OutboxMessage) -> Content | None:
    """Mail to another player bounces; None once it arrives again."""
    mail = MatchMail.read(message)
    index = message.data["player"]
    user = mail.seats[index].user
    if user is None or not is_cut_off(user) or not mail.is_holder:
        return None
    player = mail.names[index]
    news = gettext("Mail to %(name)s comes back") % {"name": player}
    return mail.write("cut-off", news=news, with_board=False, player=player)


def holiday(message: OutboxMessage) -> Content | None:
    """A player proposes days off for the table; None once that is settled."""
    mail = MatchMail.read(message)
    proposal = selectors.open_holiday(mail.match)
    if (
        not mail.is_holder
        or proposal is None
        or proposal.pk != message.data["holiday"]
        or not mail.match.is_running
    ):
        return None
    proposer = mail.names[proposal.agreed[0]]
    return mail.write(
        "holiday",
        news=gettext("%(name)s proposes days off") % {"name": proposer},
        with_board=False,
        proposer=proposer,
        proposal=proposal,
    )


def finished(message: OutboxMessage) -> Content | None:
    """The match is over: the result, and where anybody can check the deal.

    Of a match that cannot be read any more, how it has ended, without board, moves and deal.
    """
    mail = MatchMail.read(message)
    news = _say_end(mail)
    seats = sorted(mail.seats, key=lambda seat: (seat.rank or 0, seat.index))
    try:
        return mail.write("finished", news=news, seats=seats, links=find_share_links(mail.match))
    except UNPLAYABLE as error:
        log.error("the end of match %s is told without its board: %s", mail.match.code, error)
    ends = mail.match.notices.filter(kind__in=notices.ENDS).order_by("pk")
    you = mail.seat.index if mail.is_holder else None
    how = [notices.sentence(notice, mail.names, you) for notice in ends]
    return mail.write(
        "finished-unread", news=news, with_board=False, seats=seats, how=how, category=TOPIC_OF["finished"]
    )


def _say_end(mail: MatchMail) -> str:
    """The news that the match is over, with the reader's place in it."""
    rank = mail.seat.rank
    if not (mail.is_holder and rank):
        return gettext("The match is over")
    if rank == 1:
        is_shared = sum(seat.rank == 1 for seat in mail.seats) > 1
        return (
            gettext("The match is over: you share first place")
            if is_shared
            else gettext("The match is over: you have won")
        )
    return gettext("The match is over: you are number %(place)d of %(players)d") % {
        "place": rank,
        "players": len(mail.seats),
    }
