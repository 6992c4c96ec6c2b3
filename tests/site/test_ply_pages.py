"""Replay: the board after every ply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.record import RESIGN
from gemserver.matches import replay
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.models import Match, Move
from gemserver.site.match.ply_page import PART
from tests.builders import NOON, is_asked, make_match, make_table, make_user, play_to_the_end, play_until
from tests.quick import first, some
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match() -> Match:
    return play_until(
        make_match(players=[make_user("ana"), make_user("ben")]), lambda reached: reached.ply >= 6
    )


def test_each_ply_has_a_page_with_its_board_and_sentence(match: Match) -> None:
    client = Client()
    for ply, (move, step) in enumerate(replay.steps(match)):
        response = client.get(f"/m/{match.code}/ply/{ply}/")
        assert response.status_code == 200
        page = read(response)
        assert f"day {step.state.day} of 6" in page.text
        assert f"{ply} / {match.ply}" in page.text
        if move:
            assert f"Move {ply}" in page.text
    assert step.state == replay.position(match)


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


SHOWN = {
    "title": r"<title>(?:Your turn [^·]* · )?(.*?) · Gem server</title>",
    "status": r'<p id="status" class="status">(.*?)</p>',
    "board": r'<figure class="board">(.*?)</figure>',
    "drawing": r'<div class="words" tabindex="0">(.*?)</div>\n</details>',
    "move": r'<section id="move"[^>]*>(.*?)</section>',
}
"""Where a page has what the answer with many plies says of one."""

HIDING: tuple[tuple[str, dict[str, str]], ...] = (
    ("gem", {"pace": "sealed"}),
    ("jewellers", {}),
    ("florentine", {}),
    ("gemessengers", {}),
)
"""Games, and their options, in which something is hidden from somebody."""


def answer_plies(client: Client, match: Match, first: int = 0) -> list[dict[str, str]]:
    found: Any = client.get(f"/m/{match.code}/plies/{first}/").json()
    return list(found["plies"])


def show(client: Client, match: Match, ply: int) -> dict[str, str]:
    """Read the page of one ply into the shape of the answer with many."""
    body = client.get(f"/m/{match.code}/ply/{ply}/").content.decode()
    shown = {name: re.findall(pattern, body, re.DOTALL)[0] for name, pattern in SHOWN.items()}
    return shown | {name: unescape(shown[name]) for name in ("title", "status")}


@pytest.mark.slow
@pytest.mark.parametrize(("game", "options"), first(1, some(HIDING, 2)))
def test_many_plies_at_once_say_what_each_page_says_to_the_same_reader(
    game: str, options: Mapping[str, str]
) -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match(game, [ana, ben], options=options, server_part="5a" * 32)
    match = play_until(match, lambda reached: reached.ply >= PART + 2 and is_asked(ben)(reached))
    assert match.is_running
    for client in (signed_in(ana), signed_in(ben), Client()):
        answered = [ply for first in (0, PART) for ply in answer_plies(client, match, first)]
        assert answered == [show(client, match, ply) for ply in range(match.ply + 1)]


def test_a_player_sees_in_many_plies_what_a_spectator_does_not() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = make_match("gemessengers", [ana, ben], server_part="5a" * 32)
    match = play_until(match, lambda reached: reached.ply >= 3 and reached.is_running)
    own, spectators = answer_plies(signed_in(ana), match), answer_plies(Client(), match)
    assert all(mine["board"] != theirs["board"] for mine, theirs in zip(own, spectators, strict=True))


@pytest.mark.slow
def test_plies_come_in_parts_of_bounded_size_that_are_replayed_once(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = play_to_the_end(match)
    replayed = []
    steps = replay.steps

    def count_steps(match: Match) -> Any:
        replayed.append(match.ply)
        return steps(match)

    monkeypatch.setattr(replay, "steps", count_steps)
    assert match.ply > 2 * PART
    with CaptureQueriesContext(connection) as of_many:
        assert len(answer_plies(Client(), match, PART)) == PART
    assert replayed == [match.ply]
    with CaptureQueriesContext(connection) as of_one:
        assert len(answer_plies(Client(), match, match.ply)) == 1
    assert len(of_many) == len(of_one)
    assert Client().get(f"/m/{match.code}/plies/{match.ply + 1}/").status_code == 404


def test_the_log_of_a_part_tells_all_its_plies(match: Match) -> None:
    match = play_to_the_end(match)
    log = Client().get(f"/m/{match.code}/plies/{PART}/").json()["log"]
    told = [(int(first), int(last)) for first, last in re.findall(r'data-first="(\d+)"[^>]*>(\d+)</a>', log)]
    for ply in range(PART, 2 * PART):
        assert any(first <= ply <= last for first, last in told), f"nothing tells of move {ply}"
    assert "Show the whole log" in log


@pytest.mark.parametrize(
    ("names", "told"),
    [(["ana", "ben"], "ben resigns."), (["ana", "ben", "cleo"], "The player of seat B resigns.")],
)
def test_a_resignation_is_told_at_its_ply(names: list[str], told: str) -> None:
    players = [make_user(name) for name in names]
    match = play_until(make_match(players=players), lambda reached: reached.ply >= 2)
    match = resign(match.pk, players[1], source=Move.Source.WEB, request_id="1", now=NOON)
    ply = match.moves.get(text=RESIGN).ply
    client = Client()
    assert told in show(client, match, ply)["move"]
    assert told in answer_plies(client, match)[ply]["move"]
    assert told in read(client.get(f"/s/{match.code}/{ply}/")).text
    log = client.get(match.get_absolute_url()).content.decode()
    assert f'href="/m/{match.code}/ply/{ply}/" data-first="{ply}"' in log
