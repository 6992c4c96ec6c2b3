"""Lists show each match as a small board, the one that its reader may see."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, make_table, play_to_the_end, play_until
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return play_until(make_match("gemessengers", players=[ana, ben]), is_asked(ana))


def test_the_picture_is_the_board_of_its_reader(match: Match, ana: User, ben: User) -> None:
    for client in (signed_in(ana), signed_in(ben), Client()):
        picture = client.get(f"{match.get_absolute_url()}board.svg")
        assert picture["Content-Type"] == "image/svg+xml"
        page = client.get(match.get_absolute_url()).content.decode()
        assert picture.content.decode().strip() in page


def test_no_cache_keeps_it_for_others_and_a_browser_asks_again(match: Match, ana: User, ben: User) -> None:
    client, path = signed_in(ana), f"{match.get_absolute_url()}board.svg"
    first = client.get(path)
    assert {part.strip() for part in first["Cache-Control"].split(",")} == {"private", "no-cache"}
    assert "Cookie" in first["Vary"]
    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    others = signed_in(ben).get(path, headers={"If-None-Match": first["ETag"]})
    assert others.status_code == 200, "a tag belongs to one reader"
    play_until(match, lambda reached: reached.ply > match.ply)
    assert client.get(path, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_table_has_no_picture(ana: User) -> None:
    table = make_table(seats=3, creator=ana)
    assert signed_in(ana).get(f"{table.get_absolute_url()}board.svg").status_code == 404


@pytest.mark.slow
def test_lists_name_the_picture_of_each_match(match: Match, ana: User, ben: User) -> None:
    over = play_to_the_end(make_match(players=[ana, ben]))
    for path, shown in {
        "/": [match, over],
        "/matches/": [over],
        "/matches/?status=running": [match],
        "/players/ana/": [match, over],
    }.items():
        page = signed_in(ana).get(path).content.decode()
        for each in shown:
            assert f'src="{each.get_absolute_url()}board.svg?at={each.ply}"' in page, path
        assert page.count("<img") == page.count('loading="lazy"') == len(shown)
