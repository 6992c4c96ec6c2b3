"""An announced due time stays, whatever its player does, except for a vacation that is announced in time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, time, timedelta

import pytest
from django.db import transaction
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.clocks.days_off import NOTICE
from gemserver.matches import timing
from gemserver.matches.actions.people.set_mail_mode import set_mail_mode
from gemserver.matches.actions.people.snooze import end_snooze, snooze
from gemserver.matches.actions.seats.ask_sitter import agree_to_sit, propose_sitting
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.expire_seat import expire_seat
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.actions.time.set_hours import set_hours, set_leads
from gemserver.matches.actions.time.take_vacation import announce_vacation
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from tests.builders import NOON, asked, make_match, make_user, play

pytestmark = pytest.mark.django_db

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NIGHT = (time(22), time(7))
ZONES = st.sampled_from(
    ["Europe/Paris", "America/New_York", "Australia/Sydney", "Asia/Kathmandu", "Australia/Lord_Howe"]
)
QUIET = st.none() | st.builds(
    lambda start, length: (time(start), time((start + length) % 24, 30)),
    st.integers(0, 23),
    st.integers(1, 9),
)


@contextmanager
def _undone() -> Iterator[None]:
    """Undo all that is done within, also if it fails, so that another example finds nothing of it.

    Not `atomic`: each act is a transaction of its own, and locks anew what others have locked.
    """
    before = transaction.savepoint()
    try:
        yield
    finally:
        transaction.savepoint_rollback(before)


def prompt(seat: Seat) -> tuple[datetime | None, datetime | None]:
    """The due time as announced, and as computed."""
    again = Seat.objects.select_related("user", "match").get(pk=seat.pk)
    return again.due_at, timing.due_at(again.match, again)


def _play_what_cannot_be(user: User, match: Match, now: datetime) -> None:
    play(match, match.seats.get(user=user).index, "bid 999", now=now)


def _have_somebody_sit_there(user: User, match: Match, now: datetime) -> None:
    today = now.astimezone(user.zone).date()
    sitting = propose_sitting(match.pk, user, "eva", today, today + DAY, now=now)
    agree_to_sit(sitting.pk, sitting.sitter, now=now)


def _go_on_vacation_too_late(user: User, match: Match, now: datetime) -> None:
    due = asked(match).due_at
    assert due is not None
    late = max(now, due - NOTICE + timedelta(seconds=1))
    today = late.astimezone(user.zone).date()
    announce_vacation(user, today, today + 2 * DAY, now=late)


DOINGS: dict[str, Callable[[User, Match, datetime], object]] = {
    "no reminders": lambda user, match, now: set_leads(user, [], now=now),
    "other reminders": lambda user, match, now: set_leads(user, [30 * HOUR, HOUR], now=now),
    "snooze": lambda user, match, now: snooze(user, 5 * HOUR, now=now),
    "end of the snooze": lambda user, match, now: end_snooze(user, now=now),
    "digest": lambda user, match, now: set_mail_mode(user, User.MailMode.DIGEST, digest_at=time(8), now=now),
    "no mail": lambda user, match, now: set_mail_mode(user, User.MailMode.OFF, now=now),
    "proposal of days off": lambda user, match, now: propose_holiday(
        match.pk, user, now.date() + DAY, now.date() + 3 * DAY, now=now
    ),
    "talk": lambda user, match, now: say(match.pk, user, "A moment!", "one", now=now),
    "move that cannot be": _play_what_cannot_be,
    "sitter": _have_somebody_sit_there,
    "vacation too late": _go_on_vacation_too_late,
}


@pytest.mark.slow
@settings(max_examples=20, database=None, derandomize=True, phases=[Phase.generate])
@given(
    zone=ZONES,
    quiet=QUIET,
    free_weekends=st.booleans(),
    vacation=st.none() | st.tuples(st.integers(0, 3), st.integers(0, 3)),
    bank=st.integers(6, 60),
    doings=st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from(sorted(DOINGS)) | st.tuples(QUIET, ZONES)), max_size=6
    ),
)
def test_nothing_that_a_player_does_moves_an_announced_due_time(
    zone: str,
    quiet: tuple[time, time] | None,
    free_weekends: bool,
    vacation: tuple[int, int] | None,
    bank: int,
    doings: list[tuple[float, str | tuple[tuple[time, time] | None, str]]],
) -> None:
    with _undone():
        players = [make_user("ana"), make_user("ben")]
        make_user("eva")
        for player in players:
            set_hours(player, quiet=quiet, zone=zone, now=NOON - DAY)
        control = TimeControl.per_move(bank * HOUR)
        match = make_match(players=players, time_control=control, free_weekends=free_weekends)
        seat = asked(match)
        assert seat.user
        if vacation:
            first = NOON.date() + (vacation[0] + 1) * DAY
            announce_vacation(seat.user, first, first + vacation[1] * DAY, now=NOON)
        announced = prompt(seat)
        due = announced[0]
        assert due is not None
        for share, doing in sorted(doings, key=lambda done: done[0]):
            now = NOON + timedelta(seconds=1) + share * (due - NOON - timedelta(seconds=2))
            user = User.objects.get(pk=seat.user.pk)
            try:
                if isinstance(doing, str):
                    DOINGS[doing](user, match, now)
                else:
                    set_hours(user, quiet=doing[0], zone=doing[1], now=now)
            except Refused:
                pass
            assert prompt(seat) == announced, doing
        assert announced == (due, due)
        assert expire_seat(seat.pk, now=due - timedelta(seconds=1)) is None
        assert expire_seat(seat.pk, now=due) is not None


def test_a_choice_by_mail_does_not_count_for_what_was_asked_while_the_mail_waited_to_be_read() -> None:
    seat = asked(make_match(players=[make_user("ana"), make_user("ben")]))
    assert seat.user
    set_hours(seat.user, quiet=NIGHT, now=NOON - HOUR)
    assert prompt(seat) == (NOON + 3 * DAY, NOON + 3 * DAY)
    assert hours_at(User.objects.get(pk=seat.user_id), NOON + HOUR).quiet_start == time(22)


def test_neither_does_it_take_back_an_earlier_one_that_counts_for_what_was_asked_meanwhile() -> None:
    players = [make_user("ana"), make_user("ben")]
    for player in players:
        set_hours(player, quiet=NIGHT, now=NOON - DAY)
        set_hours(player, quiet=None, now=NOON)
    seat = asked(make_match(players=players, now=NOON + DAY + HOUR))
    assert seat.user
    set_hours(seat.user, quiet=(time(12), time(18)), now=NOON + HOUR)
    assert prompt(seat) == (NOON + 4 * DAY + HOUR, NOON + 4 * DAY + HOUR)


def test_what_is_chosen_already_is_not_put_off_by_choosing_it_again() -> None:
    user = make_user("ana")
    set_hours(user, quiet=NIGHT, now=NOON - DAY)
    chosen = set_hours(user, quiet=None, now=NOON)
    assert set_hours(user, quiet=None, now=NOON + HOUR) == chosen
    assert hours_at(user, NOON + DAY).quiet_start is None
