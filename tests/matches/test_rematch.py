"""A finished match is played again by the same people, each one place further."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.clocks.control import PRESETS
from gemserver.matches import verify
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.tables.give_part import give_part
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.actions.tables.open_fixture import open_fixture
from gemserver.matches.actions.tables.open_rematch import open_rematch
from gemserver.matches.models import Invitation, Match
from gemserver.matches.refusal import Refused
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user, play_to_the_end

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(players: list[User]) -> Match:
    match = make_match("jewellers", players=players, bots=1, options={"silver": "yes"})
    OutboxMessage.objects.all().delete()
    return play_to_the_end(match)


def test_the_rematch_has_the_same_terms_and_people(over: Match, players: list[User]) -> None:
    match = open_rematch(over.pk, players[1], now=NOON)
    for name in ("game", "options", "seat_count", "bank", "increment", "cap", "free_weekends", "absence"):
        assert getattr(match, name) == getattr(over, name), name
    assert match.server_part != over.server_part
    assert {seat.name[:10] for seat in match.seats.all()} == {"ben", "random bot"}
    invited = {row.user.username for row in Invitation.objects.filter(match=match) if row.user}
    assert invited == {"ana", "cy"}
    mails = OutboxMessage.objects.filter(kind="invitation")
    assert {mail.user.username for mail in mails if mail.user} == invited


def test_the_rematch_of_a_fixture_has_the_usual_clock(players: list[User]) -> None:
    """The fixture's own is the budget of its season, which no table has."""
    fixture = open_fixture(
        game="gem",
        players=players[:2],
        options={},
        bank=timedelta(days=12),
        play_until=NOON + timedelta(days=27),
        is_rated=True,
        club=None,
        now=NOON,
    )
    match = open_rematch(play_to_the_end(fixture).pk, players[1], now=NOON)
    assert match.time_control == PRESETS["3d"]
    assert (match.play_until, match.vacation_days, match.is_rated) == (None, None, True)
    join_table(match.pk, players[0], now=NOON)
    match.refresh_from_db()
    assert match.is_running
    assert [seat.name for seat in match.seats.order_by("index")] == ["ben", "ana"]


@pytest.mark.slow
def test_places_move_on_by_one_whoever_comes_first(over: Match, players: list[User]) -> None:
    match = open_rematch(over.pk, players[1], now=NOON)
    join_table(match.pk, players[2], now=NOON)
    given = give_part(match.pk, players[2], "seven brown owls", now=NOON).part
    join_table(match.pk, players[0], now=NOON)
    match.refresh_from_db()
    assert match.is_running
    seats = list(match.seats.order_by("index"))
    assert [seat.index for seat in seats] == [0, 1, 2, 3]
    assert [seat.name for seat in seats] == ["ben", "cy", "random bot C", "ana"]
    assert seats[1].part == given
    assert verify.first_difference(match) is None
    assert verify.first_difference(play_to_the_end(match)) is None


def test_whoever_comes_later_finds_the_first_rematch(over: Match, players: list[User]) -> None:
    match = open_rematch(over.pk, players[0], now=NOON)
    assert open_rematch(over.pk, players[2], now=NOON) == match
    cancel_table(match.pk, by=players[0], now=NOON)
    assert open_rematch(over.pk, players[2], now=NOON) != match, "a cancelled one is none"


def test_who_cannot_be_invited_may_come_all_the_same(over: Match, players: list[User]) -> None:
    block_player(players[0], "cy", now=NOON)
    match = open_rematch(over.pk, players[0], now=NOON)
    assert not Invitation.objects.filter(match=match, user=players[2]).exists()
    assert join_table(match.pk, players[2], now=NOON)
    with pytest.raises(Refused) as refused:
        join_table(match.pk, make_user("dee"), now=NOON)
    assert refused.value.code == "not-invited"


def test_alone_against_bots_it_begins_at_once(ana: User) -> None:
    over = play_to_the_end(make_match(players=[ana], bots=2))
    match = open_rematch(over.pk, ana, now=NOON)
    assert match.is_running
    assert [seat.name for seat in match.seats.order_by("index")] == ["random bot A", "random bot B", "ana"]


def test_only_its_players_ask_for_it_and_only_at_the_end(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    for player, code in ((ana, "not-over"), (make_user("dee"), "not-seated")):
        with pytest.raises(Refused) as refused:
            open_rematch(match.pk, player, now=NOON)
        assert refused.value.code == code
