"""The demo match that newcomers find on a server of their own."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.matches.demo import prepare_demo
from gemserver.matches.models import Match, Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import play_to_the_end

pytestmark = pytest.mark.django_db


def waiting_names(match: Match) -> list[str]:
    return [seat.name for seat in match.seats.filter(is_waiting=True)]


@pytest.mark.slow
def test_it_is_the_demo_players_turn_against_two_bots() -> None:
    match = prepare_demo()
    assert [seat.bot for seat in match.seats.order_by("index")] == [
        Seat.Bot.NONE,
        Seat.Bot.EASY,
        Seat.Bot.NORMAL,
    ]
    assert waiting_names(match) == ["demo"]
    assert OutboxMessage.objects.filter(kind="turn", to="demo@gem.localhost").count() == 1


@pytest.mark.slow
def test_the_demo_player_can_be_written_to_but_not_signed_in_as() -> None:
    prepare_demo()
    demo = User.objects.get()
    assert demo.mail_address() == "demo@gem.localhost"
    assert not demo.has_usable_password()
    assert not demo.is_staff


@pytest.mark.slow
def test_starting_again_goes_on_with_the_same_match() -> None:
    first = prepare_demo()
    moves = first.moves.count()
    assert prepare_demo() == first
    assert (Match.objects.count(), first.moves.count()) == (1, moves)
    assert User.objects.count() == 1


def test_a_new_match_begins_when_the_last_one_is_over() -> None:
    first = prepare_demo()
    assert play_to_the_end(first).is_over
    second = prepare_demo()
    assert second != first
    assert waiting_names(second) == ["demo"]


def test_bots_that_were_interrupted_go_on_when_the_server_starts_again(monkeypatch) -> None:
    from gemserver.matches import demo

    with monkeypatch.context() as interrupted:
        interrupted.setattr(demo, "_MOST_BOT_MOVES", 0)
        match = prepare_demo()
    prepare_demo()
    assert waiting_names(match) == ["demo"]
