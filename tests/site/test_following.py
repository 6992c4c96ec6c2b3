"""Players follow others to find their tables; nobody else learns of it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from gemserver.accounts.models import Follow, User
from gemserver.inbox.erasure import erase
from gemserver.matches.actions.people import follow_player as following
from gemserver.matches.actions.people.block_player import block_player
from gemserver.matches.actions.people.follow_player import follow_player
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import Match
from gemserver.site.account.export import collect
from tests.builders import NOON, make_table, make_user
from tests.clubs.people import make_club, open_for
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def ana() -> User:
    return make_user("ana")


@pytest.fixture
def ben() -> User:
    return make_user("ben")


def follow(client: Client, name: str, do: str = "follow") -> str:
    response = client.post(f"/players/{name}/follow/", {"do": do}, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def wait_at(player: User, seats: int = 2, **terms: Any) -> Match:
    return make_table(seats=seats, creator=player, **terms)


def test_the_tables_of_followed_players_stand_on_the_page_of_players(ana: User, ben: User) -> None:
    client = signed_in(ana)
    table, other = wait_at(ben), wait_at(make_user("eve"))
    assert "You follow ben" in follow(client, "ben")
    page = read_main(client.get("/players/"))
    assert table.get_absolute_url() in page.links
    assert other.get_absolute_url() not in page.links
    assert "You follow ben no longer" in follow(client, "ben", "unfollow")
    assert table.get_absolute_url() not in read_main(client.get("/players/")).links


def test_the_list_of_tables_is_narrowed_to_followed_players(ana: User, ben: User) -> None:
    client = signed_in(ana)
    table, other = wait_at(ben), wait_at(make_user("eve"))
    assert 'name="by"' not in client.get("/tables/").content.decode(), "whom should it name?"
    follow_player(ana, "ben", now=NOON)
    links = read_main(client.get("/tables/?by=followed")).links
    assert table.get_absolute_url() in links
    assert other.get_absolute_url() not in links
    assert other.get_absolute_url() in read_main(Client().get("/tables/?by=followed")).links


def test_followed_players_tables_that_one_may_not_join_are_not_told(ana: User, ben: User) -> None:
    hidden = open_for(make_club("Den", ben), ben)
    invited = wait_at(ben, access=Match.Access.INVITED)
    follow_player(ana, "ben", now=NOON)
    client = signed_in(ana)
    for path in ("/players/", "/players/ben/", "/tables/?by=followed"):
        assert not {hidden.get_absolute_url(), invited.get_absolute_url()} & set(
            read_main(client.get(path)).links
        )


def test_followed_players_are_proposed_to_be_invited(ana: User, ben: User) -> None:
    client, table = signed_in(ana), wait_at(ana, seats=3)
    assert "<datalist" not in client.get(table.get_absolute_url()).content.decode()
    follow_player(ana, "ben", now=NOON)
    assert '<option value="ben">' in client.get(table.get_absolute_url()).content.decode()
    join_table(table.pk, ben, now=NOON)
    assert '<option value="ben">' not in client.get(table.get_absolute_url()).content.decode()


def test_a_player_is_invited_from_their_page(ana: User, ben: User) -> None:
    client = signed_in(ana)
    page = read_main(client.get("/players/ben/"))
    assert "/tables/new/?invite=ben" in page.links
    assert not [link for link in read_main(client.get("/players/ana/")).links if "invite" in link]
    games = read_main(client.get("/tables/new/?invite=ben"))
    assert "/tables/new/gem/?invite=ben" in games.links
    assert "you can invite ben" in read_main(client.get("/tables/new/gem/?invite=ben")).text
    terms = {"seats": "2", "clock": "3d", "absence": "default", "access": "anyone", "bots": "0"}
    terms |= {"strength": "easy", "starts_when_full": "on"}
    opened = client.post("/tables/new/gem/?invite=ben", terms)
    table = Match.objects.get()
    assert opened["Location"] == f"{table.get_absolute_url()}?whom=ben"
    assert read_main(client.get(opened["Location"])).fields["whom"] == "ben"
    assert not table.invitations.exists(), "nobody is invited before the host says so"


def test_nobody_else_learns_who_follows_whom(ana: User, ben: User) -> None:
    eve = make_user("eve")
    before = {
        (name, path): read_main(client.get(path)).text
        for name, client in (("ben", signed_in(ben)), ("eve", signed_in(eve)), ("", Client()))
        for path in ("/", "/players/", "/players/ana/", "/players/ben/")
    }
    follow_player(ana, "ben", now=NOON)
    for name, client in (("ben", signed_in(ben)), ("eve", signed_in(eve)), ("", Client())):
        for path in ("/", "/players/", "/players/ana/", "/players/ben/"):
            assert read_main(client.get(path)).text == before[name, path]
    assert "ana" not in str(collect(ben, NOON))
    assert collect(ana, NOON)["followed players"] == ["ben"]


def test_following_ends_with_either_account_and_with_a_block(ana: User, ben: User) -> None:
    for leaving in (ana, ben):
        one, other = make_user(f"one {leaving}"), make_user(f"other {leaving}")
        follow_player(one, other.username, now=NOON)
        erase(one if leaving == ana else other, now=NOON)
        assert not Follow.objects.exists()
    follow_player(ana, "ben", now=NOON)
    block_player(ana, "ben", now=NOON)
    assert not Follow.objects.exists()


def test_one_follows_neither_oneself_nor_nobody_nor_too_many(
    ana: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = signed_in(ana)
    assert "You cannot follow yourself" in follow(client, "ana")
    assert "Nobody is called Nora" in follow(client, "Nora")
    monkeypatch.setattr(following, "MOST", 1)
    follow(client, "ben")
    make_user("eve")
    assert "the most there can be" in follow(client, "eve")
    assert "You follow ben" in follow(client, "ben"), "again"


def test_the_page_of_a_player_shows_where_they_wait(ana: User, ben: User) -> None:
    table = wait_at(ben)
    for client in (Client(), signed_in(ana)):
        assert table.get_absolute_url() in read_main(client.get("/players/ben/")).links
    join_table(table.pk, ana, now=NOON)
    assert "Waits for players" not in read_main(Client().get("/players/ben/")).text
