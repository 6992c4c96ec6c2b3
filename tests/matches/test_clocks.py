"""Players' clocks: banks, quiet hours, weekends and changes of hours, played through `submit`."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from gemserver.accounts.hours import hours_at
from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS, TimeControl
from gemserver.matches import replay, timing
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.time.set_hours import set_hours
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.refusal import Refused
from tests.builders import NOON, asked, make_match, make_user, play, play_until

pytestmark = pytest.mark.django_db

PARIS = ZoneInfo("Europe/Paris")
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
NIGHT = (time(22), time(7))
FRIDAY_EVENING = datetime(2026, 3, 27, 21, 0, tzinfo=PARIS)


def paris(month: int, day: int, hour: int) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=PARIS)


def parisian(name: str) -> User:
    user = make_user(name)
    set_hours(user, quiet=NIGHT, zone="Europe/Paris", now=NOON)
    return User.objects.get(pk=user.pk)


def asked_on_friday_evening(**options: bool) -> Seat:
    """A Parisian with quiet nights and a day for the move, asked on Friday evening after the other's move."""
    players = [parisian("ana"), parisian("ben")]
    control = TimeControl.per_move(DAY)
    match = make_match(players=players, time_control=control, now=FRIDAY_EVENING - HOUR, **options)
    play(match, asked(match).index, "bid 1", now=FRIDAY_EVENING)
    return asked(match)


def test_a_day_with_quiet_nights_ends_on_sunday_afternoon() -> None:
    assert asked_on_friday_evening().due_at == paris(3, 29, 15)


def test_with_free_weekends_it_ends_on_tuesday() -> None:
    assert asked_on_friday_evening(free_weekends=True).due_at == paris(3, 31, 15)


def test_a_bank_pays_for_running_time_only_and_earns_the_increment_up_to_the_cap() -> None:
    players = [parisian("ana"), parisian("ben")]
    start = paris(3, 9, 9)
    match = make_match(players=players, time_control=PRESETS["7d+1d"], now=start)
    first = asked(match)
    play(match, first.index, "bid 1", now=start + 2 * DAY)  # 48 h less two nights of nine
    first.refresh_from_db()
    assert first.clock_left == timedelta(days=7, hours=-30 + 24)
    second = asked(match)
    play(match, second.index, "pass", now=start + 2 * DAY + HOUR)
    second.refresh_from_db()
    assert second.clock_left == timedelta(days=7), "never more than the cap"


def test_forced_moves_and_bots_neither_cost_nor_earn() -> None:
    control = TimeControl(7 * DAY, DAY, 90 * DAY)
    match = make_match(players=[make_user("ana")], bots=1, time_control=control, server_part="5a" * 32)
    is_first = match.seats.get(bot="").is_waiting
    forced = match.moves.filter(source=Move.Source.FORCED)
    match = play_until(match, lambda _: forced.filter(seat=0).exists(), now=NOON + HOUR)
    person, bot = match.seats.get(bot=""), match.seats.exclude(bot="").get()
    assert (bot.clock_left, bot.due_at) == (7 * DAY, None)
    answers = match.moves.filter(seat=person.index, source=Move.Source.WEB).count()
    assert person.clock_left == 7 * DAY + answers * DAY - is_first * HOUR


def test_a_sealed_pick_that_is_changed_costs_nothing_and_earns_nothing() -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    control = TimeControl(7 * DAY, DAY, 20 * DAY)
    match = make_match("gemessengers", players=players, time_control=control)
    state_waits = match.seats.filter(is_waiting=True)
    if state_waits.count() < 2:
        match = play_until(match, lambda reached: reached.seats.filter(is_waiting=True).count() >= 2)
    seat, other = list(match.seats.filter(is_waiting=True).order_by("index"))[:2]
    before = seat.clock_left
    texts = _two_picks(match, seat)
    play(match, seat.index, texts[0], now=NOON + 2 * HOUR)
    answered = Seat.objects.get(pk=seat.pk)
    assert answered.clock_left == before - 2 * HOUR + DAY
    play(match, seat.index, texts[1], now=NOON + 5 * HOUR)
    assert Seat.objects.get(pk=seat.pk).clock_left == answered.clock_left
    assert Seat.objects.get(pk=other.pk).due_at == other.due_at, "every seat has its own clock"


def _two_picks(match: Match, seat: Seat) -> list[str]:
    moves = match.rules.legal_moves(replay.position(match), seat.index)
    return [match.rules.write(move) for move, _ in zip(moves, range(2), strict=False)]


def test_a_change_of_hours_never_moves_a_due_time_that_was_announced() -> None:
    seat = asked_on_friday_evening()
    assert seat.user
    set_hours(seat.user, quiet=(time(14), time(20)), zone="Asia/Kathmandu", now=FRIDAY_EVENING + HOUR)
    again = asked(seat.match)
    assert timing.due_at(seat.match, again) == again.due_at == paris(3, 29, 15)


def test_a_change_of_hours_counts_for_prompts_put_a_day_later() -> None:
    user = parisian("ana")
    set_hours(user, quiet=None, zone="Asia/Kathmandu", now=NOON)
    assert hours_at(user, NOON + DAY - timedelta(seconds=1)).time_zone == "Europe/Paris"
    late = hours_at(user, NOON + DAY)
    assert (late.time_zone, late.quiet_start) == ("Asia/Kathmandu", None)
    set_hours(user, quiet=None, zone="America/New_York", now=NOON + HOUR)
    assert hours_at(user, NOON + DAY).time_zone == "Europe/Paris", "it was replaced before it counted"


def test_the_first_choice_counts_at_once_but_not_for_what_was_asked_before() -> None:
    user = make_user("ana", time_zone="America/New_York")
    assert hours_at(user, NOON).time_zone == "America/New_York"
    set_hours(user, quiet=NIGHT, zone="Europe/Paris", now=NOON)
    user.refresh_from_db()
    assert user.time_zone == "Europe/Paris"
    assert hours_at(user, NOON - HOUR).time_zone == "America/New_York"
    assert hours_at(user, NOON).quiet_start == time(22)


@pytest.mark.parametrize(
    ("quiet", "zone", "code"),
    [((time(20), time(7)), None, "too-quiet"), (NIGHT, "Europe/Atlantis", "no-such-zone")],
)
def test_hours_that_cannot_be_are_refused(quiet: tuple[time, time], zone: str | None, code: str) -> None:
    with pytest.raises(Refused, match=code):
        set_hours(make_user("ana"), quiet=quiet, zone=zone, now=NOON)


def test_a_mail_that_waited_to_be_read_costs_neither_its_writer_nor_the_next() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], time_control=PRESETS["7d+1d"])
    seat = asked(match)
    assert seat.user
    request = Request(match.code, Actor.player(seat.user), "bid 1", Move.Source.MAIL, "mail:1:0")
    submit(request, now=NOON + 36 * HOUR, asked_at=NOON + 60 * HOUR)
    seat.refresh_from_db()
    assert seat.clock_left == timedelta(days=7, hours=-36 + 24)
    assert asked(match).due_at == NOON + 60 * HOUR + 7 * DAY
