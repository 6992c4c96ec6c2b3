"""Boards, texts and mails show the right seats as waited for: at sealed pace, and after the end."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from django.utils.html import strip_tags

from games.chance import Chance
from games.registry import GAMES
from gemserver.matches import prompts, replay
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify import delivery
from tests.builders import NOON, make_match, make_user, play_until
from tests.site.pages import read

pytestmark = pytest.mark.django_db

WAITS = re.compile(
    r"to (act|bid|play|pick|order|invest|draw|place|take|call)\b|[Ww]aiting for|hold|missing of"
)
"""The words for a seat that is waited for, in boards and their texts."""


def board_of(match: Match, page: str = "") -> str:
    """The text of a page's board, picture and drawing, as a stranger reads it."""
    content = Client().get(f"/m/{match.code}/{page}").content.decode()
    board = re.search(r"<svg[^>]*board-.*?</svg>", content, re.DOTALL)
    text = re.search(r'<details[^>]* class="drawing">.*?</details>', content, re.DOTALL)
    assert board
    assert text
    return re.sub(r"\s+", " ", strip_tags(board[0]) + " | " + strip_tags(text[0]))


def mails() -> list[str]:
    """Text and alternatives of all queued mails."""
    mail.outbox.clear()  # type: ignore[attr-defined]
    delivery.send_queued()
    bodies = [
        [str(message.body), *(str(part) for part, _ in message.alternatives)] for message in mail.outbox
    ]
    return [body for parts in bodies for body in parts]


def drawings(bodies: list[str]) -> list[str]:
    """The boards in these mails: the indented lines of a text, or the picture's description."""
    found = []
    for body in bodies:
        alt = re.search(r'alt="([^"]*)"', body)
        found.append(
            alt[1] if alt else "\n".join(line for line in body.splitlines() if line.startswith("  "))
        )
    return found


def order(match: Match, seat: Seat, text: str) -> None:
    assert seat.user
    request_id = f"order:{match.moves.count()}:{match.sealed_orders.count()}"
    submit(Request(match.code, Actor.player(seat.user), text, Move.Source.WEB, request_id), now=NOON)


def go_on(match: Match, is_reached: Callable[[Match], bool]) -> Match:
    """Let the waiting seats answer at random, by sealed orders where they are collected, until the predicate holds."""
    match = Match.objects.get(pk=match.pk)
    while not is_reached(match):
        seat = asked_seats(match)[0]
        position = prompts.position_to_answer(match, replay.position(match), seat.index)
        dice = Chance("0" * 64, f"{match.ply} {match.sealed_orders.count()}")
        order(match, seat, match.rules.write(match.rules.random_move(position, seat.index, dice)))
        match = Match.objects.get(pk=match.pk)
    return match


def asked_seats(match: Match) -> list[Seat]:
    return list(match.seats.select_related("user").filter(is_waiting=True).order_by("index"))


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
def test_nobody_is_to_act_in_a_match_that_was_ended(slug: str) -> None:
    match = make_match(slug, players=[make_user("ana"), make_user("ben")])
    match = play_until(match, lambda reached: reached.ply == 5)
    assert WAITS.search(board_of(match)), "while it runs the board says who is to act"
    mails()
    adjudicate(match.pk, [0], "An agreement.", now=NOON)
    for page in ("", f"ply/{match.ply}/"):
        shown = board_of(match, page)
        assert not WAITS.search(shown), shown
        assert "The match is over" in shown
        assert "The match was ended here." in shown
    page = read(Client().get(f"/m/{match.code}/"))
    assert "Waiting for" not in page.text
    finished = mails()
    assert len(finished) == 4, "text and HTML for both"
    assert drawings(finished)
    assert not any(WAITS.search(drawing) for drawing in drawings(finished))


@pytest.mark.slow
def test_nobody_is_to_act_after_one_of_two_has_resigned() -> None:
    ana, ben = make_user("ana"), make_user("ben")
    match = play_until(make_match(players=[ana, ben]), lambda reached: reached.ply == 4)
    mails()
    resign(match.pk, ana, source=Move.Source.WEB, request_id="1", now=NOON)
    finished = drawings(mails())
    assert finished
    assert not any(WAITS.search(drawing) for drawing in finished)
    assert any("ana has resigned, and so the match has ended here." in drawing for drawing in finished)
    for shown in (board_of(match), board_of(match, f"ply/{match.ply + 1}/")):
        assert not WAITS.search(shown)
        assert "ana has resigned, and so the match has ended here." in shown


@pytest.mark.parametrize("slug", ["gem", "jewellers"])
def test_at_sealed_pace_the_board_tells_whose_orders_are_missing_and_whose_lie(slug: str) -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(slug, players=players, options={"pace": "sealed"}, server_part="1" * 64)
    match = go_on(match, lambda reached: prompts.has_open_contest(reached, replay.position(reached)))
    shown = board_of(match)
    assert "Waiting for orders: A B C" in shown
    assert "Still to seal: ana (A), ben (B), cy (C)" in shown
    assert shown.count("▶ to seal") == 3
    assert not re.search(r"to (act|bid|call)\b", shown), "nobody has a turn while orders are collected"

    ben = asked_seats(match)[1]
    position = prompts.position_to_answer(match, replay.position(match), ben.index)
    order(match, ben, match.rules.write(match.rules.default_move(position, ben.index)))
    shown = board_of(match)
    assert "Waiting for orders: A C" in shown
    assert "Still to seal: ana (A), cy (C)" in shown
    assert (shown.count("▶ to seal"), shown.count("✓ has sealed")) == (2, 1)
    told = [drawing for drawing in drawings(mails()) if "to seal" in drawing]
    assert told, "the questions for orders bring the board"
    assert all("Still to seal:" in drawing for drawing in told)
    assert not any(re.search(r"to (act|bid|call)\b", drawing) for drawing in told)


@pytest.mark.slow
def test_investments_at_sealed_pace_wait_for_orders_too() -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(players=players, options={"pace": "sealed"}, server_part="1" * 64)
    match = go_on(match, lambda reached: "invest" in str(replay.position(reached).phase))
    shown = board_of(match)
    letters = " ".join(seat.letter for seat in asked_seats(match))
    assert f"Waiting for orders: {letters}" in shown
    assert "to invest" not in shown


def test_a_past_ply_of_a_sealed_contest_was_nobodys_turn() -> None:
    match = make_match(players=[make_user("ana"), make_user("ben")], options={"pace": "sealed"})
    match = go_on(match, lambda reached: reached.ply >= 3)
    shown = board_of(match, "ply/1/")
    assert not WAITS.search(shown), shown
    assert "The match is over" not in shown


def test_whose_time_ran_out_has_neither_ordered_nor_to_order() -> None:
    players = [make_user(name) for name in ("ana", "ben", "cy")]
    match = make_match(players=players, options={"pace": "sealed"}, server_part="1" * 64)
    submit(Request(match.code, Actor.clock(0), "", Move.Source.CLOCK, "clock:0"), now=NOON)
    shown = board_of(match)
    assert (shown.count("▶ to seal"), shown.count("✓ has sealed")) == (2, 0)
