"""Hand a seat over: from an absent player to a bot, from the bot to a substitute, or as a moderator decides."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from gemserver.accounts.models import User
from gemserver.matches import talk, timing, turns
from gemserver.matches.actions.seats.renew_address import remember_address
from gemserver.matches.actions.time.propose_holiday import grant_if_all_agree
from gemserver.matches.locking import lock_match
from gemserver.matches.log import notices
from gemserver.matches.models import Departure, Holiday, Match, Seat, StoredPlan, Undo
from gemserver.matches.refusal import Refused
from gemserver.matches.seating import not_free
from gemserver.matches.who_may_sit import require_may_be_seated, require_may_come
from gemserver.nudge import nudge


def give_to_bot(match: Match, seat: Seat, *, now: datetime) -> None:
    """Give an absent player's seat to a bot until a substitute takes it. The caller holds the match's lock."""
    turns.tell_seat(match, seat, "replaced", turn=seat.prompt_ply, number=seat.token_generation, now=now)
    _note_departure(seat, Departure.Why.TIME, now)
    _seat_bot(match, seat, "seat-open", now, is_open=True)


def give_up_seat(match: Match, seat: Seat, *, is_open: bool, now: datetime) -> None:
    """Let a bot play on for a player who has resigned: for good, or until somebody takes the seat (`is_open`).

    The caller holds the match's lock.
    """
    _note_departure(seat, Departure.Why.RESIGNED, now)
    _seat_bot(match, seat, "seat-resigned-open" if is_open else "seat-resigned", now, is_open=is_open)


def take_seat(match_id: int, index: int, user: User, *, now: datetime) -> Seat:
    """Take over a seat that a bot holds for an absent player, with a full bank; a second time changes nothing.

    The substitute sees what the seat may see now. Who has lost the seat before gets no more time than was left, or one
    increment; who has resigned it does not come back to it.
    Raises Refused(no-such-match, not-open-seat) and what `require_may_come` raises.
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = match.seats.select_related("user").filter(index=index).first()
        if seat and seat.user == user:
            return seat
        if seat is None or not seat.is_open or not match.is_running:
            raise not_free(match)
        require_may_come(match, user, seat)
        _seat_person(match, seat, user, now)
        _post(match, seat, "seat-taken", now, player=seat.index)
    return seat


def reassign_seat(
    match_id: int,
    index: int,
    holder: User | None,
    why: str,
    *,
    now: datetime,
    is_open: bool = False,
    by_organiser: bool = False,
) -> Seat:
    """Give a seat to another person, or (no `holder`) to a bot: for good, or until somebody takes it (`is_open`).

    `why` is shown to the table and mailed to the old holder and the new one, but for a decision of an event's organiser
    (`by_organiser`), which is mailed for all their matches at once.
    Raises Refused(no-such-match, not-running, bot-already) and what `require_may_be_seated` raises.
    """
    with transaction.atomic():
        match = lock_match(match_id)
        seat = match.seats.select_related("user").get(index=index)
        if not match.is_running:
            raise Refused(
                "not-running", "{code} is not running; its seats stay as they are.", code=match.code
            )
        if holder:
            require_may_be_seated(match, holder, seat)
        if holder is None and seat.bot and seat.is_open == is_open:
            raise Refused("bot-already", "A bot holds this seat already; there is nothing to change.")
        if not by_organiser:
            turns.tell_seat(
                match, seat, "replaced", turn=seat.prompt_ply, number=seat.token_generation, now=now, why=why
            )
        _note_departure(seat, Departure.Why.MODERATOR, now)
        if holder:
            _seat_person(match, seat, holder, now, why=why, is_mailed=not by_organiser)
            kind = "seat-by-organiser" if by_organiser else "seat-to-player"
            _post(match, seat, kind, now, player=index, why=why)
        else:
            _seat_bot(match, seat, "seat-opened" if is_open else "seat-to-bot", now, is_open=is_open, why=why)
    return seat


def _note_departure(seat: Seat, why: Departure.Why, now: datetime) -> None:
    """Keep who leaves the seat, for ratings; a bot that leaves it is of no interest."""
    if seat.user is not None:
        Departure.objects.create(seat=seat, user=seat.user, why=why, at=now)


def _seat_bot(match: Match, seat: Seat, kind: str, now: datetime, *, is_open: bool, **told: str) -> None:
    """Let a bot play on, with a notice of this kind; days off that only the leaver had not agreed to are granted."""
    seat.user, seat.bot, seat.is_open = None, seat.bot or Seat.Bot.NORMAL, is_open
    seat.is_away = False
    seat.misses, seat.due_at, seat.remind_at = 0, None, None
    _change_address(seat, now)
    seat.save()
    _post(match, seat, kind, now, **told)
    grant_if_all_agree(match, now)
    nudge("gemserver.matches.tasks.play_bots", match.pk)


def _seat_person(
    match: Match, seat: Seat, user: User, now: datetime, why: str = "", *, is_mailed: bool = True
) -> None:
    """Seat the player and mail them the seat's reply address, whether or not it is their turn."""
    seat.user, seat.bot, seat.is_open, seat.is_away = user, Seat.Bot.NONE, False, False
    seat.clock_left, seat.seen_at, seat.misses = _time_for(match, seat, user, now), None, 0
    newest = talk.find_newest(match)
    seat.talk_seen = newest.pk if newest else 0
    _change_address(seat, now)
    if is_mailed:
        turns.tell_seat(
            match, seat, "seat-given", turn=seat.prompt_ply, number=seat.token_generation, now=now, why=why
        )
    if seat.is_waiting:
        turns.ask_again(match, seat, now)
    seat.save()


def _time_for(match: Match, seat: Seat, user: User, now: datetime) -> timedelta:
    """The clock of a new holder: a full bank, in a fixture as much of one as fits before its end.

    A former holder has no more than they left: else whoever goes and comes back would never run out of time.
    """
    bank = match.time_control.bank
    if seat.departures.filter(user=user).exists():
        bank = min(bank, max(seat.clock_left or timedelta(0), match.time_control.increment))
    if match.play_until is None:
        return bank
    return max(timedelta(0), min(bank, timing.time_to_spare(match, seat, now)))


def _post(match: Match, seat: Seat, kind: str, now: datetime, **data: str | int) -> None:
    key = f"{kind}:{seat.index}:{seat.token_generation}"
    notices.post(match, kind, key, now=now, letter=seat.letter, **data)


def _change_address(seat: Seat, now: datetime) -> None:
    """Give the seat a new reply address, and end the plan and the consent of its former holder."""
    remember_address(seat.pk, now)
    plans = seat.match.plans.filter(seat=seat.index, end="")
    plans.update(end=StoredPlan.End.HANDED_OVER, ended_ply=seat.match.ply)
    _forget_consent(seat, now)
    seat.token_generation += 1
    seat.token_hash = seat.current_token_hash()


def _forget_consent(seat: Seat, now: datetime) -> None:
    """Let lapse what the former holder has proposed; the new one is asked about what the others propose."""
    undos = Undo.objects.filter(match=seat.match_id, outcome=Undo.Outcome.OPEN)
    undos.update(outcome=Undo.Outcome.LAPSED, closed_at=now)
    for holiday in Holiday.objects.filter(match=seat.match_id, outcome=Holiday.Outcome.OPEN):
        if holiday.agreed[0] == seat.index:
            holiday.outcome, holiday.closed_at = Holiday.Outcome.REFUSED, now
        holiday.agreed = [index for index in holiday.agreed if index != seat.index] or holiday.agreed
        holiday.save(update_fields=["agreed", "outcome", "closed_at"])
