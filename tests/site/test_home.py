"""The first page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.formats import date_format

from games import registry
from gemserver.accounts.models import User
from gemserver.matches.models import Match, Seat
from tests.builders import NOON, asked, is_asked, make_match, play, play_to_the_end, play_until
from tests.site.pages import read, read_main, signed_in

pytestmark = pytest.mark.django_db


def test_a_stranger_is_told_what_this_is_and_may_watch(ana: User) -> None:
    match = make_match(players=[ana], bots=2)
    page = read(Client().get("/"))
    assert "Board games at your own pace" in page.text
    assert match.get_absolute_url() in page.links
    assert "/rules/gem/" in page.links
    assert "/accounts/signup/" in page.links
    assert "demo player" not in page.text


@pytest.mark.slow
def test_what_waits_for_me_stands_first_and_most_urgent_first(ana: User) -> None:
    later = play_until(make_match(players=[ana], bots=2), is_asked(ana))
    sooner = play_until(make_match(players=[ana], bots=2), is_asked(ana))
    Seat.objects.filter(match=sooner, user=ana).update(due_at=NOON + timedelta(hours=1))
    waiting = play_until(make_match(players=[ana], bots=2), lambda reached: not is_asked(ana)(reached))
    over = play_to_the_end(make_match(players=[ana], bots=2))
    page = read_main(signed_in(ana).get("/"))
    shown = [link for link in page.links if link.startswith("/m/")]
    assert shown == [match.get_absolute_url() for match in (sooner, later, waiting, over)]
    assert "Your turn 2" in page.text
    assert "with random bot B, random bot C" in page.text


def test_a_newcomer_reads_where_to_begin_and_no_empty_lists(ana: User) -> None:
    page = read_main(signed_in(ana).get("/"))
    assert "Where to begin" in page.text
    assert "Your turn" not in page.text
    assert "Waiting for others" not in page.text


def test_who_waits_for_others_reads_that_no_match_waits(ana: User) -> None:
    play_until(make_match(players=[ana], bots=2), lambda reached: not is_asked(ana)(reached))
    page = read_main(signed_in(ana).get("/"))
    assert "No match waits for you. You get a mail as soon as one does." in page.text
    assert "Waiting for others" in page.text


def test_who_waits_for_others_reads_until_when(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    if is_asked(ana)(match):
        play(match, asked(match).index, "bid 1")
    waiting = read_main(signed_in(ana).get("/")).text.partition("Waiting for others")[2]
    due = asked(match).due_at
    assert due
    assert f"until {date_format(due, 'D j M H:i T')} (in " in waiting


@pytest.mark.slow
def test_the_number_of_queries_does_not_grow_with_the_matches(ana: User) -> None:
    def add_one_of_each() -> None:
        play_until(make_match(players=[ana], bots=2), is_asked(ana))
        play_until(make_match(players=[ana], bots=2), lambda reached: not is_asked(ana)(reached))
        play_to_the_end(make_match(players=[ana], bots=1))

    def queries(client: Client) -> int:
        client.get("/")
        with CaptureQueriesContext(
            connection,
        ) as captured:
            client.get("/")
        return len(captured)

    add_one_of_each()
    before = [queries(signed_in(ana)), queries(Client())]
    for _ in range(3):
        add_one_of_each()
    assert [queries(signed_in(ana)), queries(Client())] == before
    assert max(before) <= 17, "and one each for the unread talk of running and of finished matches"


def test_the_match_page_takes_as_many_queries_late_as_early(ana: User) -> None:
    match = play_until(make_match(players=[ana], bots=2), is_asked(ana))
    client = signed_in(ana)

    def queries(match: Match) -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(match.get_absolute_url())
        return len(captured)

    queries(match)  # what is found out once for a position, such as whether a move may be taken back, is kept
    early = queries(match)
    late = play_until(match, lambda reached: reached.ply > 40 and is_asked(ana)(reached))
    queries(late)
    assert early <= 18, "the match, its log, talk, notes, orders, holidays, sitters and turns"
    assert queries(late) <= 20, "and the last own move, with what has been played since"


@pytest.mark.parametrize(("language", "day"), [("en", "Day 3, auction"), ("de", "Tag 3, Versteigerung")])
def test_the_board_that_greets_a_stranger_speaks_their_language(language: str, day: str) -> None:
    page = read(Client(headers={"accept-language": language}).get("/"))
    assert day in page.text


def test_a_stranger_sees_each_game_with_its_cover_its_length_and_its_weight() -> None:
    response = Client().get("/")
    assert response.content.decode().count('class="cover"') == len(registry.GAMES)
    page = read(response)
    assert "An auction of jewels in six days" in page.text
    assert "2–4 players · about 20 moves each · light weight" in page.text
