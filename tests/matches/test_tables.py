"""Opening, joining, leaving and starting a table, and the promise about its deal."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import deal
from gemserver.clocks.control import TimeControl
from gemserver.matches import replay
from gemserver.matches.actions.join_table import add_bot, join_table, leave_table
from gemserver.matches.actions.open_table import open_table
from gemserver.matches.actions.start_match import start_match
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_table, make_user

pytestmark = pytest.mark.django_db


def test_a_table_shows_its_commitment_before_anyone_joins_and_it_fits_its_secret() -> None:
    match = make_table(seats=3)
    assert match.seats.count() == 0
    assert match.commitment == deal.commitment(match.code, "gem", 1, "pace=table", match.server_part)
    assert match.code == f"M{match.pk}"


def test_no_two_tables_have_the_same_secret() -> None:
    assert make_table(seats=2).server_part != make_table(seats=2).server_part


@pytest.mark.parametrize(
    ("game", "seats", "options", "code"),
    [
        ("chess", 2, {}, "no-such-game"),
        ("gem", 5, {}, "wrong-seats"),
        ("gem", 1, {}, "wrong-seats"),
        ("gem", 2, {"pace": "hurried"}, "no-such-option"),
        ("gem", 2, {"colour": "red"}, "no-such-option"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(
    game: str, seats: int, options: dict[str, str], code: str
) -> None:
    control = TimeControl.per_move(timedelta(days=1))
    with pytest.raises(Refused, match=code):
        open_table(None, game=game, seats=seats, options=options, time_control=control, now=NOON)
    assert Match.objects.count() == 0


def test_seats_go_in_order_of_joining_and_joining_twice_takes_one_seat() -> None:
    match = make_table(seats=3)
    ana, ben = make_user("ana"), make_user("ben")
    assert [join_table(match.pk, user).index for user in (ana, ben, ana)] == [0, 1, 0]
    assert add_bot(match.pk, Seat.Bot.RANDOM).index == 2
    with pytest.raises(Refused, match="table-full"):
        join_table(match.pk, make_user("cy"))


def test_who_leaves_gives_the_seat_back_and_the_others_move_up() -> None:
    match = make_table(seats=3)
    users = [make_user(name) for name in ("ana", "ben", "cy")]
    for user in users:
        join_table(match.pk, user)
    leave_table(match.pk, users[0])
    assert [seat.user for seat in match.seats.order_by("index")] == users[1:]
    assert join_table(match.pk, users[0]).index == 2
    with pytest.raises(Refused, match="not-seated"):
        leave_table(match.pk, make_user("dee"))


def test_a_match_starts_only_when_every_seat_is_taken_and_only_by_a_player() -> None:
    match = make_table(seats=2)
    ana = make_user("ana")
    join_table(match.pk, ana)
    with pytest.raises(Refused, match="seats-free"):
        start_match(match.pk, by=ana, now=NOON)
    add_bot(match.pk, Seat.Bot.RANDOM)
    with pytest.raises(Refused, match="not-seated"):
        start_match(match.pk, by=make_user("ben"), now=NOON)
    start_match(match.pk, by=ana, now=NOON)
    with pytest.raises(Refused, match="not-open"):
        start_match(match.pk, by=ana, now=NOON)
    with pytest.raises(Refused, match="not-open"):
        leave_table(match.pk, ana)


def test_the_deal_follows_from_the_secret_and_the_parts_alone() -> None:
    match = make_table(seats=2)
    join_table(match.pk, make_user("ana"))
    add_bot(match.pk, Seat.Bot.RANDOM)
    match = start_match(match.pk, by=None, now=NOON)
    parts = [seat.part for seat in match.seats.all()]
    assert parts == [deal.default_part(match.server_part, seat) for seat in (0, 1)]
    assert replay.seed(match) == deal.seed(match.server_part, parts)


def test_starting_sends_every_player_the_commitment_and_the_first_one_a_turn_mail() -> None:
    match = make_table(seats=2)
    users = [make_user("ana"), make_user("ben")]
    for user in users:
        join_table(match.pk, user)
    match = start_match(match.pk, by=users[0], now=NOON)
    assert OutboxMessage.objects.filter(kind="started").count() == 2
    (turn,) = OutboxMessage.objects.filter(kind="turn")
    assert turn.user == match.seats.get(is_waiting=True).user


def test_reply_addresses_differ_and_only_their_hashes_are_stored() -> None:
    match = make_table(seats=2)
    for name in ("ana", "ben"):
        join_table(match.pk, make_user(name))
    start_match(match.pk, by=None, now=NOON)
    seats = list(match.seats.all())
    assert len({seat.reply_address for seat in seats}) == 2
    for seat in seats:
        assert seat.token not in str(Seat.objects.filter(pk=seat.pk).values().get())
        assert seat.token_hash == seat.current_token_hash()
