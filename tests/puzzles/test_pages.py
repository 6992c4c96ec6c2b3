"""The pages and the API of the puzzle of the day."""

from __future__ import annotations

import re
from gettext import NullTranslations
from urllib.parse import quote

import pytest
from django.test import Client

from games import registry
from gemserver.accounts.models import User
from gemserver.api import puzzles
from gemserver.lib import clock
from gemserver.matches.words.moves import find_path, say_move
from gemserver.puzzles.models import Answer, StoredPuzzle, Subscription
from gemserver.puzzles.sources import read_brought, read_stored
from tests.api.programs import Program, code_of
from tests.puzzles.puzzles import pose, puzzle_of, right_move, wrong_move
from tests.site.pages import read_main, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def stored() -> StoredPuzzle:
    return pose()


def says_solution(text: str) -> bool:
    return "A bot expects" in text or "The best move" in text


def test_a_player_answers_once_and_sees_the_solution(ana: User, stored: StoredPuzzle) -> None:
    client, address = signed_in(ana), stored.get_absolute_url()
    assert not says_solution(read_main(client.get(address)).text)
    assert client.post(address, {"text": wrong_move(stored)}).status_code == 302
    shown = read_main(client.get(address)).text
    assert says_solution(shown)
    assert f"Better: {right_move(stored)}." in shown
    assert "Found by 0 of 1." in shown
    again = client.post(address, {"text": right_move(stored)}, follow=True)
    assert "Only the first answer counts" in read_main(again).text
    assert not Answer.objects.get().is_right


def test_a_move_that_is_not_legal_is_refused_and_kept_in_the_field(ana: User, stored: StoredPuzzle) -> None:
    answer = signed_in(ana).post(stored.get_absolute_url(), {"text": "bid 99"})
    assert answer.status_code == 422
    assert read_main(answer).fields["text"] == "bid 99"
    field, _, below = answer.content.decode().partition('<input id="text"')[2].partition(">")
    assert "autofocus" in field
    assert 'aria-describedby="text-help text-refusal"' in field
    assert below.strip().startswith('<p id="text-refusal"')
    assert not Answer.objects.exists()


def test_a_stranger_tries_without_an_account_and_leaves_no_row(stored: StoredPuzzle) -> None:
    client, address = Client(), stored.get_absolute_url()
    assert not says_solution(read_main(client.get(address)).text)
    assert not says_solution(read_main(client.get(f"{address}?try")).text)
    assert "Right: " in read_main(client.post(address, {"text": right_move(stored)})).text
    assert "Not the best: " in read_main(client.post(address, {"text": wrong_move(stored)})).text
    assert not says_solution(read_main(client.get(address)).text), "nothing is kept"
    assert not Answer.objects.exists()


def test_after_the_day_everybody_may_look_and_still_try(ana: User) -> None:
    stored = pose(ago=3)
    for client in (Client(), signed_in(ana)):
        assert says_solution(read_main(client.get(stored.get_absolute_url())).text)
        trying = read_main(client.get(f"{stored.get_absolute_url()}?try"))
        assert not says_solution(trying.text)
        assert (
            "Right: " in read_main(client.post(stored.get_absolute_url(), {"text": right_move(stored)})).text
        )
    assert not Answer.objects.exists()


def say(stored: StoredPuzzle, move: str) -> str:
    puzzle = puzzle_of(stored)
    return say_move(puzzle.game.rules, puzzle.state, puzzle.seat, move)


BOARD = re.compile(r'<figure class="board[^"]*">.*?</figure>', re.DOTALL)


def board_of(client: Client, address: str) -> str:
    found = BOARD.search(client.get(address).content.decode())
    assert found
    return found[0]


@pytest.mark.parametrize("slug", registry.OWN)
def test_the_solution_is_shown_on_the_board_and_so_is_each_move_beside_it(slug: str) -> None:
    if not read_brought(slug):
        pytest.skip("this game brings no puzzles")
    stored, client = pose(slug, ago=3), Client()
    address = stored.get_absolute_url()
    posed, solved = board_of(client, f"{address}?show="), board_of(client, address)
    page = read_main(client.get(address))
    assert f"The board after {say(stored, right_move(stored))}, the best move." in page.text
    assert solved != posed
    moves = [link for link in page.links if "?show=" in link and not link.endswith("?show=#board")]
    assert len(moves) == len(stored.worths)
    boards = {board_of(client, move) for move in moves}
    assert len(boards) == len(moves)
    assert solved in boards
    assert posed not in boards
    assert board_of(client, f"{address}?show=nonsense") == solved
    assert f"The board after {say(stored, wrong_move(stored))}." in read_main(client.get(moves[1])).text


def test_the_board_gives_no_move_away_before_an_answer(ana: User, stored: StoredPuzzle) -> None:
    client, address = signed_in(ana), stored.get_absolute_url()
    shown = f"{address}?show={quote(right_move(stored))}"
    assert board_of(client, shown) == board_of(client, address)
    client.post(address, {"text": wrong_move(stored)})
    assert "The board after your move" in read_main(client.get(address)).text
    assert board_of(client, shown) != board_of(client, f"{address}?show=")


def test_a_stranger_who_tries_sees_the_best_move_on_the_board(stored: StoredPuzzle) -> None:
    page = read_main(Client().post(stored.get_absolute_url(), {"text": wrong_move(stored)}))
    assert f"The board after {right_move(stored)}, the best move." in page.text
    assert not any("?show=" in link for link in page.links), "at the address they may try once more"


@pytest.mark.parametrize("slug", registry.OWN)
def test_a_move_is_built_on_the_board_in_every_game(slug: str) -> None:
    if not read_brought(slug):
        pytest.skip("this game brings no puzzles")
    stored = pose(slug)
    client, address = Client(), stored.get_absolute_url()
    page = read_main(client.get(address))
    begun = next(value for name, value in page.buttons if name == "choose" and value)
    assert client.get(address, {"choose": begun}).status_code == 200
    assert client.get(f"{address}moves/", {"from": ""}).json()["nodes"]
    assert client.post(address, {"choose": begun}).status_code == 302
    assert "Right: " in read_main(client.post(address, {"text": right_move(stored)})).text


@pytest.mark.parametrize("day", ["2020-01-01", "2999-01-01", "today", "2026-3-6", "20260306"])
def test_a_day_without_a_puzzle_is_no_page(day: str, stored: StoredPuzzle) -> None:
    assert Client().get(f"/puzzles/{day}/").status_code == 404


def test_the_list_has_today_the_earlier_ones_and_the_streak(ana: User, stored: StoredPuzzle) -> None:
    earlier = pose(which=1, ago=1)
    Answer.objects.create(puzzle=stored, user=ana, move="x", is_right=True, at=clock.now())
    page = read_main(signed_in(ana).get("/puzzles/"))
    assert {stored.get_absolute_url(), earlier.get_absolute_url()} <= set(page.links)
    assert "You have found it." in page.text
    assert "Your streak: 1 puzzle found." in page.text
    assert "Your streak" not in read_main(Client().get("/puzzles/")).text


@pytest.mark.parametrize(
    ("path", "on", "off"), [("/puzzles/", "on", "off"), ("/notifications/", "puzzles", "no-puzzles")]
)
def test_the_mail_is_asked_for_and_ended_on_the_web(path: str, on: str, off: str, ana: User) -> None:
    client = signed_in(ana)
    client.post(path, {"do": on})
    assert Subscription.objects.filter(user=ana).exists()
    assert ("do", off) in read_main(client.get(path)).buttons
    client.post(path, {"do": off})
    assert not Subscription.objects.exists()
    assert Client().post("/puzzles/", {"do": "on"}).status_code == 302
    assert not Subscription.objects.exists()


# For programs


def test_a_program_lists_reads_and_answers(ana: User, stored: StoredPuzzle) -> None:
    program, day = Program.of(ana), stored.day
    listed = program.get("puzzles").json()
    assert [each["day"] for each in listed["puzzles"]] == [str(day)]
    assert (listed["streak"], listed["subscribed"], listed["next"]) == (0, False, None)
    shown = program.get(f"puzzles/{day}").json()
    assert (shown["solution"], shown["answer"]) == (None, None)
    assert right_move(stored) not in [shown["task"], shown["board"]]
    told = program.post(f"puzzles/{day}/answer", {"text": right_move(stored)}, key="k").json()
    assert told["answer"] == {"move": right_move(stored), "right": True}
    assert told["solution"]["best"] == right_move(stored)
    assert program.post(f"puzzles/{day}/answer", {"text": right_move(stored)}, key="k").json() == told
    other = program.post(f"puzzles/{day}/answer", {"text": wrong_move(stored)})
    assert (other.status_code, code_of(other)) == (409, "already-answered")
    assert program.get("puzzles").json()["streak"] == 1


def test_the_list_for_programs_comes_in_pages_by_day(ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "LISTED", 2)
    posed = [pose(which=which, ago=ago) for which, ago in ((2, 0), (0, 1), (1, 2))]
    program = Program.of(ana)
    first = program.get("puzzles").json()
    second = program.get(f"puzzles?cursor={first['next']}").json()
    days = [each["day"] for page in (first, second) for each in page["puzzles"]]
    assert days == [str(stored.day) for stored in posed]
    assert second["next"] is None


def test_a_program_is_refused_what_is_no_move_no_day_or_beyond_its_scope(
    ana: User, stored: StoredPuzzle
) -> None:
    program = Program.of(ana)
    assert program.post(f"puzzles/{stored.day}/answer", {"text": "bid 99"}).status_code == 422
    assert code_of(program.get("puzzles/2020-01-01")) == "no-such-puzzle"
    assert program.get("puzzles/2020-01-01").status_code == 404
    reader = Program.of(ana, "read")
    assert reader.post(f"puzzles/{stored.day}/answer", {"text": right_move(stored)}).status_code == 403
    assert not Answer.objects.exists()


def test_a_program_asks_for_the_mail_with_the_scope_of_the_account(ana: User) -> None:
    program = Program.of(ana, "account")
    program.post("account/puzzles", {"on": True})
    assert Subscription.objects.filter(user=ana).exists()
    assert Program.of(ana, "play").post("account/puzzles", {"on": False}).status_code == 403
    program.post("account/puzzles", {"on": False})
    assert not Subscription.objects.exists()


def test_the_verdict_says_moves_in_words_with_the_notation_behind() -> None:
    stored = pose("florentine", ago=3)
    move = right_move(stored)
    _, cell, edge = move.split()
    side = {"N": "north", "E": "east", "S": "south", "W": "west"}[edge]
    words = f"“Black card at {cell}, edge {side}” ({move})"
    client, address = Client(), stored.get_absolute_url()
    assert f"The best move: {words}." in read_main(client.get(address)).text
    assert f"Right: {words}." in read_main(client.post(address, {"text": move})).text


def test_the_moves_of_a_solution_are_named_as_on_their_buttons() -> None:
    stored, client = pose("gem", ago=3), Client()
    page = read_main(client.get(stored.get_absolute_url()))
    puzzle = read_stored(stored)
    path = find_path(puzzle.game.rules, puzzle.state, puzzle.seat, right_move(stored))
    assert path
    assert ", ".join([choice.label.text(NullTranslations()) for choice in path]) in page.text
