"""Talk that a player has not seen, marked in the lists of their matches on the first page and by the API."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import User
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import give_up_seat, take_seat
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.talk.remove_message import remove_message
from gemserver.matches.actions.talk.say import say
from gemserver.matches.actions.time.propose_holiday import propose_holiday
from gemserver.matches.models import Match, Move, Seat
from gemserver.matches.seating import held_seat
from tests.api.programs import Program
from tests.builders import NOON, make_match, make_table, make_user
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return make_match(players=[ana, ben])


def table_of(host: User, guest: User) -> Match:
    """A table of three at which both wait."""
    table = make_table(seats=3, creator=host)
    join_table(table.pk, guest, now=NOON)
    return table


def first_page(user: User) -> str:
    return read_main(signed_in(user).get("/")).text


def listed(user: User) -> dict[str, int | None]:
    matches = Program.of(user).get("matches").json()["matches"]
    return {match["code"]: match["unread"] for match in matches}


def news_of(client: Client) -> str:
    return str(client.get("/news/?list=home").json()["page"])


def test_what_others_wrote_is_marked_until_the_player_looks(match: Match, ana: User, ben: User) -> None:
    assert "new message" not in first_page(ana)
    say(match.pk, ben, "hello", "1", now=NOON)
    assert "1 new message " in first_page(ana)
    say(match.pk, ben, "good luck", "2", now=NOON)
    assert f"GEM {match.code} 2 new messages with ben" in first_page(ana)
    assert "new message" not in first_page(ben)
    assert (listed(ana), listed(ben)) == ({match.code: 2}, {match.code: 0})
    signed_in(ana).get(match.get_absolute_url())
    assert "new message" not in first_page(ana)
    assert listed(ana) == {match.code: 0}
    say(match.pk, ben, "still there?", "3", now=NOON)
    assert "1 new message " in first_page(ana)


def test_the_talk_of_waiting_tables_and_of_finished_matches_is_marked_too(ana: User, ben: User) -> None:
    table = table_of(ana, ben)
    say(table.pk, ben, "hello", "1", now=NOON)
    assert "1 new message " in first_page(ana)
    signed_in(ana).get(table.get_absolute_url())
    assert "new message" not in first_page(ana)
    over = make_match(players=[ana, ben])
    resign(over.pk, ana, source=Move.Source.WEB, request_id="1", now=NOON)
    say(over.pk, ben, "good game", "2", now=NOON)
    assert "1 new message " in first_page(ana)
    signed_in(ana).get(over.get_absolute_url())
    assert "new message" not in first_page(ana)


def test_the_first_page_of_the_talk_by_the_api_is_a_look(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ben, "hello", "1", now=NOON)
    Program.of(ana).get(f"matches/{match.code}")
    assert listed(ana) == {match.code: 1}
    Program.of(ana).get(f"matches/{match.code}/talk")
    assert listed(ana) == {match.code: 0}


def test_whoever_answers_by_mail_has_seen_it(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ben, "hello", "1", now=NOON)
    say(match.pk, ana, "hello to you", "2", now=NOON)
    assert "new message" not in first_page(ana)


def test_only_what_the_talk_shows_counts(match: Match, ana: User, ben: User) -> None:
    """Neither lines of the server, nor what a moderator removed, nor what somebody blocked says."""
    propose_holiday(match.pk, ben, NOON.date(), NOON.date(), now=NOON)
    assert listed(ana) == {match.code: 0}
    message = say(match.pk, ben, "something rude", "1", now=NOON)
    remove_message(message.pk, "rude", now=NOON)
    assert listed(ana) == {match.code: 0}
    say(match.pk, ben, "sorry", "2", now=NOON)
    assert listed(ana) == {match.code: 1}
    block_player(ana, "ben", now=NOON)
    assert listed(ana) == {match.code: 0}
    assert "new message" not in first_page(ana)


def test_a_new_holder_of_a_seat_has_nothing_new_from_before(match: Match, ana: User, ben: User) -> None:
    seat = held_seat(match, ana)
    assert seat is not None
    say(match.pk, ben, "just between us", "1", now=NOON)
    give_up_seat(match, seat, is_open=True, now=NOON)
    dee = make_user("dee")
    take_seat(match.pk, seat.index, dee, now=NOON)
    assert listed(dee) == {match.code: 0}
    say(match.pk, ben, "welcome", "2", now=NOON)
    assert listed(dee) == {match.code: 1}


def test_seats_of_before_this_was_noted_have_nothing_new_until_their_players_look(
    match: Match, ana: User, ben: User
) -> None:
    say(match.pk, ben, "long ago", "1", now=NOON)
    Seat.objects.update(talk_seen=None)
    assert listed(ana) == {match.code: 0}
    signed_in(ana).get(match.get_absolute_url())
    say(match.pk, ben, "today", "2", now=NOON)
    assert listed(ana) == {match.code: 1}


def test_an_open_first_page_is_told_of_new_talk(match: Match, ana: User, ben: User) -> None:
    client = signed_in(ana)
    before = news_of(client)
    say(match.pk, ben, "hello", "1", now=NOON)
    assert news_of(client) != before


def test_a_look_at_talk_that_is_known_writes_nothing(match: Match, ana: User, ben: User) -> None:
    say(match.pk, ben, "hello", "1", now=NOON)
    client = signed_in(ana)

    def updates() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(match.get_absolute_url())
        return sum('talk_seen" = given' in query["sql"] for query in captured)

    assert [updates(), updates()] == [1, 0]


def test_the_lists_take_no_query_for_each_match(ana: User, ben: User) -> None:
    def queries(client: Client, address: str) -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        return len(captured)

    def add_match(number: int) -> None:
        for match in (make_match(players=[ana, ben]), table_of(ana, ben)):
            say(match.pk, ben, "hello", str(number), now=NOON)

    client = signed_in(ana)
    add_match(1)
    before = queries(client, "/")
    for number in range(2, 5):
        add_match(number)
    assert queries(client, "/") == before
