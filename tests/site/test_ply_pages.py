"""Replay: the board after every ply."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.matches import replay
from gemserver.matches.models import Match
from tests.builders import make_match, make_table, make_user, play_to_the_end, play_until
from tests.site.pages import read

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return play_until(
        make_match(players=[make_user("ana"), make_user("ben")]), lambda reached: reached.ply >= 6
    )


def test_each_ply_has_a_page_with_its_board_and_sentence(match: Match) -> None:
    client = Client()
    for ply, (move, state, _events) in enumerate(replay.positions(match)):
        response = client.get(f"/m/{match.code}/ply/{ply}/")
        assert response.status_code == 200
        page = read(response)
        assert f"day {state.day} of 6" in page.text
        assert f"{ply} / {match.ply}" in page.text
        if move:
            assert f"Move {ply}" in page.text
    assert state == replay.position(match)


def test_the_pages_lead_to_one_another(match: Match) -> None:
    links = read(Client().get(f"/m/{match.code}/ply/3/")).links
    assert {f"/m/{match.code}/ply/{ply}/" for ply in (0, 2, 4, match.ply)} <= set(links)


def test_there_is_no_page_beyond_the_last_ply(match: Match) -> None:
    assert Client().get(f"/m/{match.code}/ply/{match.ply + 1}/").status_code == 404
    assert Client().get("/m/M999/ply/0/").status_code == 404


def test_a_table_that_waits_has_no_board() -> None:
    table = make_table(seats=2)
    assert Client().get(f"/m/{table.code}/ply/0/").status_code == 404


def test_the_last_ply_of_a_finished_match_shows_the_end(match: Match) -> None:
    match = play_to_the_end(match)
    assert "the match is over" in read(Client().get(f"/m/{match.code}/ply/{match.ply}/")).text


def test_each_page_marks_its_move_in_the_log_and_names_its_keys(match: Match) -> None:
    body = Client().get(f"/m/{match.code}/ply/3/").content.decode()
    assert body.count('aria-current="true"') == 1
    assert f'href="/m/{match.code}/ply/3/" aria-current="true"' in body
    for key in ("Home", "ArrowLeft", "ArrowRight", "End"):
        assert f'aria-keyshortcuts="{key}"' in body
