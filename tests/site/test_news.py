"""An open page asks now and then whether it is out of date, and which matches wait for its reader."""

from __future__ import annotations

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.tables.invite import invite
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.models import Match
from tests.builders import NOON, is_asked, make_match, make_table, make_user, play_until
from tests.site.pages import read, read_main, signed_in

pytestmark = pytest.mark.django_db


def waiting(client: Client, path: str = "/news/") -> list[str] | None:
    turns: list[str] | None = client.get(path).json()["turns"]
    return turns


def asked_in(user: User, number: int) -> list[Match]:
    return [play_until(make_match(players=[user], bots=2), is_asked(user)) for _ in range(number)]


def test_every_page_says_how_many_matches_wait(ana: User) -> None:
    client = signed_in(ana)
    assert "Your turn (" not in read(client.get("/rules/gem/")).text.replace("Your turn (0)", "")
    first, second = asked_in(ana, 2)
    for path in ("/", "/rules/gem/", "/you/", first.get_absolute_url()):
        page = client.get(path).content.decode()
        assert "<title>Your turn (2) · " in page, path
    assert "<title>Your turn" not in Client().get("/rules/gem/").content.decode()
    assert waiting(client) == [first.code, second.code]


def test_every_progress_tells_which_matches_wait(ana: User, ben: User) -> None:
    [match] = asked_in(ana, 1)
    table = make_table(seats=3, creator=ana)
    for path in (f"/m/{match.code}/progress/", f"/m/{table.code}/table/progress/", "/news/?list=matches"):
        assert waiting(signed_in(ana), path) == [match.code]
        assert waiting(signed_in(ben), path) == []
        assert waiting(Client(), path) is None, "who has been signed out learns it from this"


def test_the_matches_that_wait_for_a_guest_are_told(ana: User) -> None:
    client = Client()
    code = client.post("/practice/gem/").url.split("/")[2]
    match = Match.objects.get(code=code)
    while not match.seats.filter(user__isnull=False, is_waiting=True).exists():
        sweeps.play_bots(match.pk)
    assert waiting(client) == [code]
    assert "Your turn (1)" in read(client.get("/rules/gem/")).text


def test_the_matches_that_wait_for_a_player_stand_in_the_order_of_the_first_page(ana: User) -> None:
    matches = asked_in(ana, 3)
    matches[1].seats.filter(user=ana).update(due_at=NOON)
    shown = [
        link.split("/")[2] for link in read_main(signed_in(ana).get("/")).links if link.startswith("/m/")
    ]
    assert waiting(signed_in(ana)) == list(dict.fromkeys(shown)) == [matches[n].code for n in (1, 0, 2)]


def test_after_a_move_the_page_leads_to_the_next_match_that_waits(ana: User, ben: User) -> None:
    first, second, third = asked_in(ana, 3)
    first = play_until(first, lambda reached: not is_asked(ana)(reached))
    page = read(signed_in(ana).get(first.get_absolute_url()))
    assert "Next match that waits for you" in page.text
    assert second.get_absolute_url() in page.links
    second.seats.filter(user=ana).update(is_waiting=False)
    third.seats.filter(user=ana).update(is_waiting=False)
    assert "Next match" not in read(signed_in(ana).get(first.get_absolute_url())).text
    assert "Next match" not in read(signed_in(ben).get(first.get_absolute_url())).text


@pytest.mark.slow
def test_lists_notice_what_changes_in_them(ana: User, ben: User) -> None:
    def words() -> dict[str, str]:
        client = signed_in(ana)
        names = ("home", "tables", "matches&status=running", "player&name=ben")
        paths = [f"/news/?list={name}" for name in names]
        return {path: client.get(path).json()["page"] for path in paths}

    def changed() -> set[str]:
        before = told[-1]
        told.append(words())
        return {path.partition("=")[2] for path, word in told[-1].items() if word != before[path]}

    told = [words()]
    assert changed() == set()
    table = make_table(seats=3, creator=ben)
    assert changed() == {"tables", "player&name=ben"}
    join_table(table.pk, ana, now=NOON)
    assert changed() == {"home", "tables", "player&name=ben"}
    invite(make_table(seats=3, creator=ben, access=Match.Access.INVITED).pk, ben, "ana", now=clock.now())
    assert changed() == {"home"}
    match = make_match(players=[ana, ben])
    assert changed() == {"home", "matches&status=running", "player&name=ben"}
    play_until(match, lambda reached: reached.ply > match.ply)
    assert changed() == {"home", "matches&status=running", "player&name=ben"}


@pytest.mark.parametrize(
    "path", ["/", "/tables/", "/tables/?game=gem", "/tables/substitutes/", "/matches/", "/players/ana/"]
)
def test_a_list_asks_for_the_word_that_it_shows(path: str, ana: User) -> None:
    make_table(seats=3)
    make_table("gembatan", seats=3)
    asked_in(ana, 1)
    client = signed_in(ana)
    page = client.get(path).content.decode()
    notice = page[page.index("data-live") :].split(">", 1)[0].replace("&amp;", "&")
    given = dict(part.split("=", 1) for part in notice.split() if "=" in part)
    assert client.get(given["data-news"].strip('"')).json()["page"] == given["data-now"].strip('"')


def test_strangers_read_no_number(ana: User) -> None:
    asked_in(ana, 1)
    make_user("dee")
    page = read(Client().get("/"))
    assert "Your turn" not in page.text
