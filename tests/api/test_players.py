"""Players and games in figures, for programs."""

from __future__ import annotations

import pytest

from gemserver.accounts.models import User
from gemserver.ratings import counting
from tests.api.programs import Program, code_of
from tests.builders import make_match, play_to_the_end
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
