"""The ways to go on with a move, which the page of a match fetches ahead for its board."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, play_until
from tests.site.pages import signed_in

pytestmark = pytest.mark.django_db

MOST_ASKED = 240


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    return play_until(make_match("gembatan", [ana, ben], server_part="5a" * 32), is_asked(ana))


def fetch(client: Client, match: Match, *beginnings: str, prompt: int | None = None) -> Any:
    open_prompt = match.seats.get(is_waiting=True).prompt_ply
    asked = {"from": list(beginnings), "prompt": open_prompt if prompt is None else prompt}
    return client.get(f"/m/{match.code}/moves/", asked)


def test_every_choice_of_a_beginning_is_told_with_the_places_that_make_it(match: Match, ana: User) -> None:
    answer = fetch(signed_in(ana), match, "").json()
    state, seat = replay.position(match), match.seats.get(user=ana).index
    first = [node[1] for node in answer["nodes"] if node[0] == -1]
    assert first == [choice.text for choice in match.rules.steps(state, seat, "")]
    for _before, _text, label, _complete, _more, touches, _laid in answer["nodes"]:
        assert label
        assert all(answer["touches"][touch] for touch in touches or ())


def test_several_beginnings_come_in_one_answer(match: Match, ana: User) -> None:
    tiles = [node[1] for node in fetch(signed_in(ana), match, "").json()["nodes"] if node[1].count(" ") == 1][
        :2
    ]
    answer = fetch(signed_in(ana), match, *tiles).json()
    for place, tile in enumerate(tiles):
        behind = [node[1] for node in answer["nodes"] if node[0] == -1 - place]
        assert behind
        assert all(text.startswith(f"{tile} ") for text in behind)


def test_nobody_else_is_told_and_no_page_that_is_out_of_date(match: Match, ana: User, ben: User) -> None:
    for client in (Client(), signed_in(ben)):
        assert fetch(client, match, "").status_code == 204
    assert fetch(signed_in(ana), match, "", prompt=99).status_code == 204


def test_what_is_no_beginning_is_refused_in_words(match: Match, ana: User) -> None:
    answer = fetch(signed_in(ana), match, "castle")
    assert answer.status_code == 422
    assert "castle" in answer.json()["refusal"]


def test_a_part_is_bounded_whatever_is_asked_for(
    match: Match, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    rules = type(match.rules)
    steps = rules.steps
    monkeypatch.setattr(rules, "steps", lambda *given: asked.append(given) or steps(*given))
    assert fetch(signed_in(ana), match, *[""] * 500).status_code == 200
    assert len(asked) <= MOST_ASKED
