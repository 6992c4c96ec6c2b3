"""Taking a free seat over: on the page, by mail and by the API."""

from __future__ import annotations

from typing import Any

import pytest

from gemserver.accounts.models import User
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.models import Match, Move
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_match, make_user
from tests.mailgate.posting import codes, one_line, sent_to, write
from tests.site.pages import read, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("guessing_bots")]

TAKE = "Take this seat"


@pytest.fixture
def eve() -> User:
    return make_user("eve")


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    """A match in which the player of seat C has resigned, and a bot plays on until somebody takes it."""
    cy = make_user("cy")
    match = make_match(players=[ana, ben, cy], absence=Match.Absence.REPLACE)
    resign(match.pk, cy, source=Move.Source.WEB, request_id="r", now=NOON)
    return match


def free_another(match: Match) -> None:
    reassign_seat(match.pk, 1, None, "gone", now=NOON, is_open=True)


def ok(response: Any) -> Any:
    assert response.status_code == 200, response.content
    return response.json()


def holder_of(match: Match, index: int) -> User | None:
    return match.seats.select_related("user").get(index=index).user


# --- By mail --------------------------------------------------------------------------------------


def test_join_takes_the_free_seat_of_a_running_match(match: Match, eve: User) -> None:
    assert codes(write(eve, "games")) == ["shown"]
    assert f"To take it, write: join {match.code} C" in one_line(sent_to(eve)[-1])
    assert codes(write(eve, f"join {match.code}")) == ["done"]
    assert holder_of(match, 2) == eve
    told = [one_line(letter) for letter in sent_to(eve)]
    assert any(f"You play seat C of {match.code}" in text for text in told)
    assert codes(write(eve, f"join {match.code}")) == ["done"], "asked twice, one has the same seat"


def test_where_several_seats_are_free_the_answer_has_a_line_for_each(match: Match, eve: User) -> None:
    free_another(match)
    row = write(eve, f"join {match.code}")
    assert codes(row) == ["which-seat"]
    text = one_line(sent_to(eve)[-1])
    assert f"join {match.code} B" in text
    assert f"join {match.code} C" in text
    assert codes(write(eve, f"join {match.code} c")) == ["done"]
    assert (holder_of(match, 1), holder_of(match, 2)) == (None, eve)


def test_who_resigned_the_seat_is_refused_by_mail_and_offered_nothing(match: Match) -> None:
    cy = User.objects.get(username="cy")
    assert codes(write(cy, f"join {match.code}")) == ["resigned"]
    write(cy, "games")
    assert f"join {match.code}" not in one_line(sent_to(cy)[-1])


# --- By the API -----------------------------------------------------------------------------------


def test_a_program_finds_free_seats_and_takes_one_once(match: Match, eve: User) -> None:
    free_another(match)
    program = Program.of(eve)
    shown = ok(program.get("free-seats"))["seats"]
    assert [(row["match"]["code"], row["seat"]) for row in shown] == [(match.code, "C"), (match.code, "B")]
    assert code_of(program.post(f"matches/{match.code}/take-seat", {})) == "which-seat"
    assert code_of(program.post(f"matches/{match.code}/take-seat", {"seat": "A"})) == "not-open-seat"
    for is_repeat in (False, True):
        answer = ok(program.post(f"matches/{match.code}/take-seat", {"seat": "B"}, key="mine"))
        assert (answer["match"], answer["repeat"]) == (match.code, is_repeat)
    assert holder_of(match, 1) == eve
    assert ok(program.get(f"matches/{match.code}"))["you"] == {"seat": "B", "role": "player"}
    assert ok(program.get("free-seats"))["seats"] == [], "nobody holds two seats"


def test_a_program_that_may_only_read_takes_no_seat(match: Match, eve: User) -> None:
    reader = Program.of(eve, "read")
    assert code_of(reader.post(f"matches/{match.code}/take-seat", {})) == "scope"
    assert holder_of(match, 2) is None


# --- On the page ----------------------------------------------------------------------------------


def test_the_page_offers_the_seat_to_who_may_take_it_and_tells_others_why_not(
    match: Match, ana: User, eve: User
) -> None:
    page = match.get_absolute_url()
    assert TAKE in read(signed_in(eve).get(page)).text
    former = read(signed_in(User.objects.get(username="cy")).get(page)).text
    assert TAKE not in former
    assert "You have resigned this seat" in former
    assert TAKE not in read(signed_in(ana).get(page)).text
    lists = read(signed_in(User.objects.get(username="cy")).get("/tables/substitutes/")).text
    assert match.code not in lists


def test_nobody_is_told_of_a_block_unasked(match: Match, ana: User, eve: User) -> None:
    ana.blocks.create(blocked=eve, created_at=NOON)
    page = read(signed_in(eve).get(match.get_absolute_url())).text
    assert TAKE not in page
    assert "block" not in page
