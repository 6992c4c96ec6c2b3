"""Lists of tables and matches, and the pages of players."""

from __future__ import annotations

import gzip
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from gemserver.accounts.models import Block, User
from gemserver.clocks.control import PRESETS, TimeControl
from gemserver.matches.actions.seats.hand_over import give_to_bot
from gemserver.matches.actions.tables.join_table import join_table
from gemserver.matches.actions.tables.leave_table import cancel_table
from gemserver.matches.models import Match, Seat
from gemserver.ratings import counting
from tests.builders import NOON, make_match, make_table, make_user, play_to_the_end, play_until
from tests.site.pages import read, read_main, signed_in

pytestmark = pytest.mark.django_db


def shown(path: str, client: Client | None = None) -> list[str]:
    """The codes of the matches on a page, in order."""
    links = read_main((client or Client()).get(path)).links
    return list(dict.fromkeys(link.split("/")[2] for link in links if link.startswith("/m/")))


def test_the_lobby_lists_open_tables_newest_first_and_nothing_else(ana: User, ben: User) -> None:
    first = make_table(seats=3, creator=ana)
    second = make_table(seats=3, creator=ben, now=NOON + timedelta(hours=1))
    make_table(seats=3, creator=ana, access=Match.Access.INVITED)
    make_match(players=[ana, ben])
    full = make_table(seats=2, creator=ana)
    join_table(full.pk, ben, now=NOON)
    cancel_table(make_table(seats=3, creator=ana).pk, by=ana, now=NOON)
    assert shown("/tables/") == [second.code, first.code]


def test_who_wants_nothing_of_one_another_is_not_brought_together(ana: User, ben: User) -> None:
    table = make_table(seats=3, creator=ben)
    Block.objects.create(user=ben, blocked=ana, created_at=NOON)
    assert shown("/tables/", signed_in(ana)) == []
    assert shown("/tables/", signed_in(make_user("dee"))) == shown("/tables/") == [table.code]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("game=jewellers", ["jewellers"]),
        ("seats=4", ["gem"]),
        ("clock=day", ["jewellers"]),
        ("clock=days", ["gem"]),
        ("clock=week", ["gembatan"]),
        ("pace=sealed", ["jewellers"]),
        ("pace=table", ["gem", "gembatan"]),
        ("game=gem&seats=5", []),
        ("game=chess&seats=x", ["gem", "gembatan", "jewellers"]),
    ],
)
def test_the_lobby_is_narrowed_by_what_one_looks_for(ana: User, query: str, expected: list[str]) -> None:
    make_table("gem", seats=4, creator=ana)
    make_table("gembatan", seats=3, creator=ana, time_control=TimeControl.per_move(timedelta(days=7)))
    sealed = {"pace": "sealed"}
    make_table("jewellers", seats=5, creator=ana, options=sealed, time_control=PRESETS["7d+1d"])
    codes = shown(f"/tables/?{query}")
    assert sorted(Match.objects.filter(code__in=codes).values_list("game", flat=True)) == expected


def test_the_lobby_tells_of_sealed_bids(ana: User) -> None:
    make_table("gem", seats=4, creator=ana)
    assert "Bids are sealed." not in read(Client().get("/tables/")).text
    make_table("gem", seats=4, creator=ana, options={"pace": "sealed"})
    assert read(Client().get("/tables/")).text.count("Bids are sealed.") == 1


def test_empty_lists_say_what_to_do_next(ana: User) -> None:
    assert "Open one yourself" in read(Client().get("/tables/")).text
    assert "with these choices. Show all" in read(Client().get("/tables/?game=gem")).text
    assert "No seat is free for a substitute" in read(Client().get("/tables/substitutes/")).text
    assert "No match is over yet." in read(Client().get("/matches/")).text
    page = read_main(signed_in(ana).get("/matches/?status=running"))
    assert "No match is going on that you may watch." in page.text
    assert "Your own matches, tables and invitations" in page.text
    assert "There is no such match." in read(Client().get("/matches/?player=nobody")).text
    assert "ana has finished no match yet." in read(Client().get("/players/ana/")).text


@pytest.mark.parametrize("path", ["/matches/", "/tables/", "/tables/substitutes/"])
def test_where_nothing_is_listed_there_is_nothing_to_choose_from(path: str, ana: User) -> None:
    assert "Choose what is listed" not in read_main(Client().get(path)).text
    assert "Choose what is listed" in read_main(Client().get(f"{path}?game=gem")).text


def test_who_finds_no_match_over_may_choose_those_that_go_on(ana: User, ben: User) -> None:
    make_match(players=[ana, ben])
    assert "Choose what is listed" in read_main(Client().get("/matches/")).text


def test_long_lists_have_pages_that_keep_the_filter(ana: User) -> None:
    for _ in range(21):
        match = make_table(seats=3)
    page = read(Client().get("/tables/?game=gem"))
    assert "21 tables wait for players." in page.text
    assert "?game=gem&page=2" in page.links
    assert len(shown("/tables/?game=gem")) == 20
    assert len(shown("/tables/?game=gem&page=2")) == 1
    assert match.code in shown("/tables/?page=2") or match.code in shown("/tables/")
    assert len(shown("/tables/?page=99")) == 1


def test_a_seat_of_an_absent_player_is_offered_to_others(ana: User, ben: User) -> None:
    match = make_match(players=[ana, ben])
    give_to_bot(match, match.seats.get(user=ben), now=NOON)
    take = f"{match.get_absolute_url()}seats/1/take/"
    assert shown("/tables/substitutes/") == [match.code]
    page = read(Client().get("/tables/substitutes/"))
    assert f"GEM {match.code} seat B, after move 0 · place 1, 0 points · ana, free" in page.text
    assert "Sign in to take it" in page.text
    assert "/accounts/login/?next=/tables/substitutes/" in page.links
    assert "or a moderator has opened the seats" in page.text
    Seat.objects.filter(match=match, user=ana).update(score=3)
    assert "place 2, 0 points" in read(Client().get("/tables/substitutes/")).text
    assert shown("/tables/substitutes/?game=gembatan") == []
    assert shown("/tables/substitutes/", signed_in(ana)) == [], "who plays there takes no second seat"
    assert "/accounts/login/" in Client().post(take).url
    dee = signed_in(make_user("dee"))
    assert "The seat is yours." in read(dee.post(take, follow=True)).text
    assert shown("/tables/substitutes/") == []


@pytest.mark.slow
def test_matches_are_looked_up_by_state_game_and_player(ana: User, ben: User) -> None:
    over = play_to_the_end(make_match(players=[ana], bots=1))
    running = make_match("gembatan", players=[ana, ben])
    cancelled = make_table(seats=3, creator=ben)
    cancel_table(cancelled.pk, by=ben, now=NOON)
    assert shown("/matches/") == [over.code]
    assert shown("/matches/?status=running") == [running.code]
    assert shown("/matches/?status=cancelled") == [cancelled.code]
    assert shown("/matches/?status=running&player=BEN") == [running.code]
    assert shown("/matches/?player=ben") == []
    assert shown("/matches/?game=gembatan") == []
    text = read(Client().get("/matches/")).text
    for seat in over.seats.all():
        assert f"{seat.name} {seat.score}" in text


@pytest.mark.slow
def test_a_players_page_has_results_and_nothing_private(ana: User, ben: User) -> None:
    ana.time_zone, ana.last_login = "Asia/Kathmandu", NOON
    ana.save()
    over = play_to_the_end(make_match(players=[ana, ben]))
    running = make_match(players=[ana, ben])
    make_table(seats=3, creator=ana, access=Match.Access.INVITED)
    seat = over.seats.get(user=ana)
    counting.count_finished()
    for client in (Client(), signed_in(ben), signed_in(make_user("mod", is_superuser=True))):
        response = client.get("/players/ana/")
        page = read(response)
        assert shown("/players/ana/", client) == [running.code, over.code]
        assert f"2 1 {1 if seat.rank == 1 else 0}" in page.text
        assert f"place {seat.rank}, {seat.score} point" in page.text
        assert "example.org" not in response.content.decode()
        assert "Kathmandu" not in response.content.decode()
        assert ana.token not in response.content.decode()


def test_there_is_no_page_of_nobody_guests_and_who_has_left(ana: User) -> None:
    make_user("guest-1", is_guest=True)
    make_user("gone", is_active=False)
    for name in ("nobody", "guest-1", "gone"):
        assert Client().get(f"/players/{name}/").status_code == 404


def copy(match: Match, times: int) -> None:
    """Make as many copies of this match."""
    seats = list(match.seats.all())
    for _ in range(times):
        match.pk, match.code = None, f"X{Match.objects.count()}"
        match.save()
        for seat in seats:
            seat.pk, seat.match, seat.token_hash = None, match, None
            seat.save()


def queries(client: Client, path: str) -> int:
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


PATHS = ("/", "/tables/", "/tables/substitutes/", "/matches/", "/matches/?status=running", "/players/ana/")


@pytest.mark.slow
def test_no_list_takes_more_queries_for_more_matches(ana: User, ben: User) -> None:
    def add_one_of_each() -> None:
        table = make_table(seats=4, creator=ana)
        join_table(table.pk, ben, now=NOON)
        make_table(seats=3, creator=ben)
        copy(over, 1)
        match = make_match(players=[ana, ben])
        make_match(players=[ben], bots=1)
        give_to_bot(match, match.seats.get(user=ben), now=NOON)

    over = play_to_the_end(make_match(players=[ana], bots=1))
    clients = [Client(), signed_in(ana), signed_in(make_user("dee"))]
    add_one_of_each()
    before = [queries(client, path) for client in clients for path in PATHS]
    for _ in range(3):
        add_one_of_each()
    assert [queries(client, path) for client in clients for path in PATHS] == before
    assert max(before) <= 20


def test_a_table_takes_as_many_queries_with_more_people_at_it(ana: User) -> None:
    match = make_table("jewellers", seats=8, creator=ana)
    client = signed_in(ana)
    early = queries(client, match.get_absolute_url())
    for number in range(5):
        join_table(match.pk, make_user(f"p{number}"), now=NOON)
    assert queries(client, match.get_absolute_url()) == early


MOST_BYTES = 80_000


@pytest.mark.slow
def test_pages_are_light(ana: User, ben: User) -> None:
    """Measured as they travel, compressed: with the board, the style sheet, scripts and icons that the page loads."""
    copy(play_to_the_end(make_match(players=[ana], bots=1)), 25)
    for _ in range(25):
        make_table("jewellers", seats=8, creator=None)
    table = make_table("jewellers", seats=8, creator=ana)
    match = play_until(make_match(players=[ana, ben]), lambda reached: reached.ply == 30)
    others = ["/tables/new/jewellers/", "/tables/new/florentine/"]
    for path in (*PATHS, *others, table.get_absolute_url(), match.get_absolute_url()):
        client = signed_in(ana)
        response = client.get(path)
        assert response.status_code == 200
        weight = len(gzip.compress(response.content)) + shared_bytes(response.content.decode())
        assert weight <= MOST_BYTES, f"{path} weighs {weight} bytes"


def shared_bytes(html: str) -> int:
    """The size of the style sheets, scripts and icons that the page loads."""
    files = set(re.findall(r'"/static/([^"]+)"', html))
    assert "css/site.css" in files
    return sum(len(gzip.compress(Path(str(finders.find(name))).read_bytes())) for name in files)


def test_the_choices_of_a_list_are_folded_until_one_is_made() -> None:
    make_table(seats=3)
    assert '<details class="filtering"><' in Client().get("/tables/").content.decode()
    assert '<details class="filtering" open><' in Client().get("/tables/?game=gem").content.decode()


def test_who_finds_no_table_is_led_to_a_bot() -> None:
    assert "/#games" in read(Client().get("/tables/")).links
    make_table(seats=3)
    assert "/#games" not in read(Client().get("/tables/")).links
