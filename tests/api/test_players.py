"""Players and games in figures, for programs."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from gemserver.ratings import counting
from tests.api.programs import Program, code_of, token_of
from tests.builders import make_match, make_table, make_user, play_to_the_end
from tests.ratings.rated import rate

pytestmark = pytest.mark.django_db


def test_a_player_and_a_game_in_figures(players: list[User]) -> None:
    ana, ben = players[:2]
    match = play_to_the_end(make_match(players=[ana, ben]))
    counting.count_finished()
    rate(ben, match)
    program = Program.of(ana)
    found = program.get("players?name=BE").json()
    assert found == {"players": [{"name": "ben", "kind": "person"}]}
    shown = program.get("players/ben").json()
    assert shown["games"][0]["rating"] == {"number": 1548, "margin": 96, "provisional": False, "matches": 20}
    assert shown["games"][0]["by_seats"][0]["played"] == 1
    assert [(row["game"], row["met"]) for row in shown["you"]] == [("gem", 1)]
    assert shown["opponents"][0]["name"] == "ana"
    assert program.get("players/ana").json()["you"] == []
    game = program.get("games/gem/figures?seats=2").json()
    assert game["matches"] == 1
    assert [line["place"] for line in game["places"]] == [1, 2]
    board = program.get("games/gem/leaderboard").json()
    assert [line["name"] for line in board["players"]] == ["ben"]
    assert program.get("games/gem/leaderboard?bots=true").json() == {"players": []}


def test_a_program_follows_players_and_finds_their_tables(ana: User) -> None:
    ben, eve = make_user("ben"), make_user("eve")
    program = Program.of(ana)
    assert program.get("followed").json() == {"players": []}
    answer = program.post("players/BEN/follow", {}, key="first")
    assert answer.json() == {"match": None, "repeat": False}
    assert program.post("players/BEN/follow", {}, key="first").json()["repeat"]
    table = make_table(seats=2, creator=ben)
    make_table(seats=2, creator=eve)
    make_table(seats=2, creator=ben, access=Match.Access.INVITED)
    followed = {"players": [{"name": "ben", "kind": "person", "tables": [table.code]}]}
    assert program.get("followed").json() == followed
    assert Program.of(ben).get("followed").json() == {"players": []}, "nobody else is told"
    assert program.post("players/ben/unfollow", {}, key="second").status_code == 200
    assert program.get("followed").json() == {"players": []}


def test_a_program_follows_nobody_whom_a_page_would_refuse(ana: User) -> None:
    program = Program.of(ana)
    for name, code, status in (("ana", "not-yourself", 409), ("nobody", "no-such-player", 404)):
        answer = program.post(f"players/{name}/follow", {}, key=name)
        assert (answer.status_code, code_of(answer)) == (status, code)
    reading = Program(token_of(ana, "read"))
    assert code_of(reading.post("players/ana/follow", {}, key="k")) == "scope"


def test_what_is_not_there_is_said(ana: User) -> None:
    program = Program.of(ana)
    User.objects.create_user("guest-99", is_guest=True)
    for path, code in (
        ("players/guest-99", "no-such-player"),
        ("players/nobody", "no-such-player"),
        ("games/chess/figures?seats=2", "no-such-game"),
        ("games/chess/leaderboard", "no-such-game"),
    ):
        answer = program.get(path)
        assert (answer.status_code, code_of(answer)) == (404, code)
