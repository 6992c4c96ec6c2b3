"""Vacation, table holiday and pause: their effect on clocks, and the notices about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import Settings

from gemserver.accounts.models import User, Vacation
from gemserver.clocks.control import TimeControl
from gemserver.inbox.erasure import erase
from gemserver.matches import timing
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import give_to_bot, reassign_seat, take_seat
from gemserver.matches.actions.time.pause_match import pause_match, resume_match
from gemserver.matches.actions.time.propose_holiday import agree_to_holiday, propose_holiday, refuse_holiday
from gemserver.matches.actions.time.set_hours import set_hours
from gemserver.matches.actions.time.take_vacation import announce_vacation, end_vacation, vacation_days_left
from gemserver.matches.models import Holiday, Match, Move, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, asked, is_asked, make_match, make_user, play, play_until
from tests.logs import read_log
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

PARIS = ZoneInfo("Europe/Paris")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SUNDAY, TUESDAY = date(2026, 3, 29), date(2026, 3, 31)
FRIDAY_EVENING = datetime(2026, 3, 27, 21, 0, tzinfo=PARIS)


def paris(month: int, day: int, hour: int) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=PARIS)


def parisian(name: str) -> User:
    user = make_user(name)
    set_hours(user, quiet=(time(22), time(7)), zone="Europe/Paris", now=NOON)
    return User.objects.get(pk=user.pk)


def player_of(seat: Seat) -> User:
    assert seat.user
    return seat.user


def asked_on_friday_evening(**options: int | bool | None) -> Seat:
    players = [parisian("ana"), parisian("ben")]
    match = make_match(
        players=players, time_control=TimeControl.per_move(DAY), now=FRIDAY_EVENING - HOUR, **options
    )
    play(match, asked(match).index, "bid 1", now=FRIDAY_EVENING)
    return asked(match)


def log_of(match: Match) -> str:
    return " ".join(line for entry in read_log(match, None) for line in entry.sentences)


def test_a_vacation_after_a_free_weekend_moves_the_due_time_to_friday() -> None:
    seat = asked_on_friday_evening(free_weekends=True)
    announce_vacation(player_of(seat), date(2026, 3, 30), date(2026, 4, 1), now=paris(3, 28, 12))
    assert asked(seat.match).due_at == paris(4, 3, 15)


def test_a_vacation_is_announced_at_the_seat_and_in_the_log(client: Client) -> None:
    seat = asked_on_friday_evening()
    today = datetime.now(PARIS)
    announce_vacation(player_of(seat), today.date() + DAY, today.date() + 3 * DAY, now=today)
    page = client.get(seat.match.get_absolute_url()).content.decode()
    assert f"{seat.name} is on vacation from" in page
    assert '<span class="muted own-line">vacation ' in page


def test_what_is_due_within_the_hour_stays_due() -> None:
    seat = asked_on_friday_evening()
    announce_vacation(player_of(seat), SUNDAY, TUESDAY, now=paris(3, 29, 14) + timedelta(minutes=1))
    assert asked(seat.match).due_at == paris(3, 29, 15)


def test_a_vacation_saves_the_bank_too() -> None:
    seat = asked_on_friday_evening()
    announce_vacation(player_of(seat), SUNDAY, TUESDAY, now=paris(3, 28, 12))
    assert timing.time_left(seat.match, asked(seat.match), paris(4, 1, 9)) == 6 * HOUR


@pytest.mark.parametrize(("limit", "due"), [(0, (3, 29, 15)), (1, (3, 30, 15)), (None, (4, 1, 15))])
def test_a_table_may_limit_how_much_vacation_counts(limit: int | None, due: tuple[int, int, int]) -> None:
    seat = asked_on_friday_evening(vacation_days=limit)
    announce_vacation(player_of(seat), SUNDAY, TUESDAY, now=paris(3, 28, 12))
    assert asked(seat.match).due_at == paris(*due)


def test_a_vacation_that_is_cancelled_gives_its_days_back_and_nobody_is_late_by_it() -> None:
    seat = asked_on_friday_evening()
    user = player_of(seat)
    announce_vacation(user, SUNDAY, TUESDAY, now=paris(3, 28, 12))
    end_vacation(user, now=paris(3, 28, 20))
    assert asked(seat.match).due_at == paris(3, 29, 15)
    assert vacation_days_left(user, 2026) == 30
    announce_vacation(user, SUNDAY, TUESDAY, now=paris(3, 28, 21))
    end_vacation(user, now=paris(3, 30, 12))
    assert asked(seat.match).due_at == paris(3, 31, 15), "the day on which it ends is free as a whole"
    assert "is back from vacation." in log_of(seat.match)


def test_no_more_days_than_a_year_has(settings: Settings) -> None:
    settings.VACATION_DAYS = 10
    user = make_user("ana")
    announce_vacation(user, date(2026, 12, 28), date(2027, 1, 5), now=NOON)
    assert (vacation_days_left(user, 2026), vacation_days_left(user, 2027)) == (6, 5)
    with pytest.raises(Refused, match="no-days-left"):
        announce_vacation(user, date(2026, 7, 1), date(2026, 7, 7), now=NOON)
    announce_vacation(user, date(2026, 7, 1), date(2026, 7, 6), now=NOON)


@pytest.mark.parametrize(
    ("first", "last", "code"),
    [
        (date(2026, 3, 5), date(2026, 3, 9), "bad-days"),
        (date(2026, 3, 9), date(2026, 3, 8), "bad-days"),
        (date(2027, 3, 1), date(2027, 3, 9), "bad-days"),
        (date(2026, 4, 2), date(2026, 4, 3), "overlapping"),
    ],
)
def test_a_vacation_that_cannot_be_is_refused(first: date, last: date, code: str) -> None:
    user = make_user("ana")
    announce_vacation(user, date(2026, 4, 1), date(2026, 4, 2), now=NOON)
    with pytest.raises(Refused, match=code):
        announce_vacation(user, first, last, now=NOON + HOUR)
    assert Vacation.objects.count() == 1


def test_a_log_is_not_filled_with_vacations_that_come_and_go() -> None:
    seat = asked_on_friday_evening()
    user, at = player_of(seat), paris(3, 28, 12)
    for second in range(10):
        announce_vacation(user, SUNDAY, TUESDAY, now=at + timedelta(seconds=second))
        end_vacation(user, now=at + timedelta(seconds=second))
    with pytest.raises(Refused, match="too-often"):
        announce_vacation(user, SUNDAY, TUESDAY, now=at + HOUR)
    assert log_of(seat.match).count("vacation") == 20
    announce_vacation(user, TUESDAY, TUESDAY, now=at + DAY + HOUR)


def test_who_plays_nowhere_tells_nobody_and_plans_as_often_as_they_like() -> None:
    user = make_user("ana")
    for second in range(12):
        announce_vacation(user, TUESDAY, TUESDAY, now=NOON + timedelta(seconds=second))
        end_vacation(user, now=NOON + timedelta(seconds=second))


def test_ending_a_vacation_that_nobody_has_is_refused() -> None:
    with pytest.raises(Refused, match="no-vacation"):
        end_vacation(make_user("ana"), now=NOON)


def test_a_holiday_counts_once_all_have_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    seat = asked_on_friday_evening()
    other = seat.match.seats.select_related("user").get(is_waiting=False)
    propose_holiday(seat.match_id, player_of(other), SUNDAY, TUESDAY, now=paris(3, 28, 12))
    assert asked(seat.match).due_at == paris(3, 29, 15)
    assert [row.user for row in OutboxMessage.objects.filter(kind="holiday")] == [seat.user]
    holiday = agree_to_holiday(seat.match_id, player_of(seat), now=paris(3, 29, 14))
    assert holiday.outcome == Holiday.Outcome.AGREED
    assert asked(seat.match).due_at == paris(4, 1, 8), "nothing was free before the table agreed"
    assert f"{other.name} proposes a table holiday" in log_of(seat.match)
    assert "All agree: the table has a holiday from 29 Mar 2026 to 31 Mar 2026." in log_of(seat.match)
    sweep(monkeypatch, paris(3, 29, 15))
    assert seat.match.moves.count() == 1


def test_one_who_refuses_is_enough_and_then_another_can_be_proposed() -> None:
    seat = asked_on_friday_evening()
    other = seat.match.seats.select_related("user").get(is_waiting=False)
    propose_holiday(seat.match_id, player_of(other), SUNDAY, TUESDAY, now=paris(3, 28, 12))
    with pytest.raises(Refused, match="open-proposal"):
        propose_holiday(seat.match_id, player_of(seat), SUNDAY, SUNDAY, now=paris(3, 28, 13))
    refuse_holiday(seat.match_id, player_of(seat), now=paris(3, 28, 14))
    assert asked(seat.match).due_at == paris(3, 29, 15)
    with pytest.raises(Refused, match="no-proposal"):
        agree_to_holiday(seat.match_id, player_of(seat), now=paris(3, 28, 15))
    propose_holiday(seat.match_id, player_of(seat), SUNDAY, SUNDAY, now=paris(3, 28, 16))


def test_who_plays_against_bots_agrees_alone() -> None:
    match = make_match(players=[make_user("ana")], bots=2)
    player = player_of(match.seats.select_related("user").get(bot=""))
    holiday = propose_holiday(match.pk, player, date(2026, 3, 7), date(2026, 3, 8), now=NOON)
    assert holiday.outcome == Holiday.Outcome.AGREED


def test_a_stranger_cannot_propose() -> None:
    seat = asked_on_friday_evening()
    with pytest.raises(Refused, match="not-seated"):
        propose_holiday(seat.match_id, make_user("eva"), SUNDAY, TUESDAY, now=FRIDAY_EVENING)


def test_while_a_match_is_paused_nothing_is_due_and_then_the_clocks_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], time_control=TimeControl.per_move(DAY))
    pause_match(match.pk, "The rules of the bid are being looked at.", now=NOON + 20 * HOUR)
    assert (asked(match).due_at, asked(match).remind_at) == (None, None)
    sweep(monkeypatch, NOON + 9 * DAY)
    assert match.moves.count() == 0
    with pytest.raises(Refused, match="paused"):
        pause_match(match.pk, "Again.", now=NOON + 9 * DAY)
    resume_match(match.pk, "It is over.", now=NOON + 9 * DAY)
    assert asked(match).due_at == NOON + 9 * DAY + 4 * HOUR
    assert "The match is paused: The rules of the bid are being looked at." in log_of(match)
    with pytest.raises(Refused, match="not-paused"):
        resume_match(match.pk, "It is over.", now=NOON + 10 * DAY)


def test_a_move_in_a_pause_costs_nothing_and_the_next_player_waits_for_the_end() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], time_control=TimeControl.per_move(DAY))
    pause_match(match.pk, "Wait.", now=NOON + HOUR)
    play(match, asked(match).index, "bid 1", now=NOON + 5 * DAY)
    assert asked(match).due_at is None
    resume_match(match.pk, "It is over.", now=NOON + 6 * DAY)
    assert asked(match).due_at == NOON + 7 * DAY


def test_the_consent_of_a_former_holder_is_not_the_new_ones(players: list[User]) -> None:
    ana, ben, cy = players
    match = make_match(players=players, absence=Match.Absence.REPLACE)
    propose_holiday(match.pk, ana, NOON.date(), NOON.date(), now=NOON)
    agree_to_holiday(match.pk, ben, now=NOON)
    index = match.seats.get(user=ben).index
    resign(match.pk, ben, source=Move.Source.WEB, request_id="r", now=NOON)
    take_seat(match.pk, index, make_user("dora"), now=NOON)
    assert agree_to_holiday(match.pk, cy, now=NOON).outcome == Holiday.Outcome.OPEN


def test_what_a_former_holder_has_proposed_lapses(players: list[User]) -> None:
    match = make_match(players=players, absence=Match.Absence.REPLACE)
    holiday = propose_holiday(match.pk, players[0], NOON.date(), NOON.date(), now=NOON)
    resign(match.pk, players[0], source=Move.Source.WEB, request_id="r", now=NOON)
    holiday.refresh_from_db()
    assert holiday.outcome == Holiday.Outcome.REFUSED


def lose_by_time(match: Match, index: int) -> None:
    with transaction.atomic():
        give_to_bot(match, match.seats.select_related("user").get(index=index), now=NOON)


LEAVE: dict[str, Callable[[Match, Seat], object]] = {
    "resigns": lambda match, seat: resign(
        match.pk, player_of(seat), source=Move.Source.WEB, request_id="", now=NOON
    ),
    "is taken out": lambda match, seat: reassign_seat(match.pk, seat.index, None, "Gone.", now=NOON),
    "loses the seat by time": lambda match, seat: lose_by_time(match, seat.index),
    "erases the account": lambda match, seat: erase(player_of(seat), now=NOON),
}


@pytest.mark.parametrize("how", LEAVE)
def test_days_off_begin_when_the_last_who_was_asked_leaves(players: list[User], how: str) -> None:
    """Nobody would be left to answer, and no other days could be proposed."""
    match = play_until(make_match(players=players), is_asked(players[0]))
    propose_holiday(match.pk, players[0], date(2026, 3, 7), date(2026, 3, 9), now=NOON)
    agree_to_holiday(match.pk, players[1], now=NOON)
    assert asked(match).due_at == NOON + 3 * DAY
    LEAVE[how](match, match.seats.select_related("user").get(user=players[2]))
    assert asked(match).due_at == NOON + 6 * DAY
    assert "All agree: the table has a holiday" in log_of(match)


def test_days_off_wait_for_those_who_are_left(players: list[User]) -> None:
    match = make_match(players=[*players, make_user("dee")])
    propose_holiday(match.pk, players[0], date(2026, 3, 7), date(2026, 3, 9), now=NOON)
    LEAVE["resigns"](match, match.seats.select_related("user").get(user=players[2]))
    assert match.holidays.get().outcome == Holiday.Outcome.OPEN


def test_a_table_is_not_asked_without_end(players: list[User]) -> None:
    match = make_match(players=players)
    for number in range(10):
        now = NOON + timedelta(minutes=number)
        propose_holiday(match.pk, players[0], NOON.date(), NOON.date(), now=now)
        refuse_holiday(match.pk, players[0], now=now)
    with pytest.raises(Refused, match="too-many-proposals"):
        propose_holiday(match.pk, players[0], NOON.date(), NOON.date(), now=NOON + timedelta(hours=1))
    tomorrow = NOON + timedelta(days=1, hours=1)
    assert propose_holiday(match.pk, players[0], tomorrow.date(), tomorrow.date(), now=tomorrow)


def test_a_change_of_zone_gives_no_day_of_vacation_back(ana: User) -> None:
    set_hours(ana, quiet=None, zone="Pacific/Kiritimati", now=NOON - timedelta(days=30))
    ana.refresh_from_db()
    day = NOON.astimezone(ana.zone).date() + timedelta(days=1)
    announce_vacation(ana, day, day, now=NOON)
    evening = datetime.combine(day, time(23, 59), ana.zone)
    set_hours(ana, quiet=None, zone="Pacific/Pago_Pago", now=evening)
    ana.refresh_from_db()
    with pytest.raises(Refused, match="no-vacation"):
        end_vacation(ana, now=evening)
    assert ana.vacations.get().first == day
