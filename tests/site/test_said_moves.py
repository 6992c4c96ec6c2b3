"""Moves in words of one's own in the fields of pages: read as in mails, and in a match shown before they are played."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client

from gemserver.accounts.models import User
from gemserver.matches.models import Match
from gemserver.study.what_if import begin_what_if
from tests.builders import NOON, is_asked, make_match, play_to_the_end, play_until
from tests.puzzles.puzzles import pose
from tests.site.pages import read, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(ana: User, ben: User) -> Match:
    """An auction that waits for the user's bid."""
    return play_until(make_match(players=[ana, ben]), is_asked(ana))


def send(client: Client, match: Match, text: str, button: str = "play") -> HttpResponse:
    """Send the field of the page with one of its buttons."""
    fields = read(client.get(match.get_absolute_url())).fields
    kept = {name: fields[name] for name in ("prompt_ply", "request_id")}
    return client.post(match.get_absolute_url(), {**kept, "text": text, button: "1"})


@pytest.mark.parametrize("button", ["preview", "play"])
@pytest.mark.parametrize("said", ["I bid 3", "Hi Ben, ich biete drei.", "je mise 3"])
def test_in_a_match_it_is_shown_in_notation_before_it_is_played(
    match: Match, ana: User, said: str, button: str
) -> None:
    ply, client = match.ply, signed_in(ana)
    shown = read(send(client, match, said, button))
    assert Match.objects.get().ply == ply
    assert f"“{said}” was read as bid 3." in shown.text
    assert shown.fields["text"] == "bid 3"
    send(client, match, shown.fields["text"])
    assert match.moves.get(ply=ply + 1).text == "bid 3"


@pytest.mark.parametrize("said", ["Should I bid 3?", "I like this game", "bid 3 or 4"])
def test_what_says_no_one_move_is_refused_with_what_was_typed(match: Match, ana: User, said: str) -> None:
    answer = send(signed_in(ana), match, said)
    assert answer.status_code == 422
    assert read(answer).fields["text"] == said
    assert "was read as" not in read(answer).text


def test_what_may_mean_a_move_is_offered_and_a_touch_shows_it(match: Match, ana: User) -> None:
    client = signed_in(ana)
    refused = send(client, match, "Three it is, one for each amethyst.")
    assert refused.status_code == 422
    assert "Did you mean this? bid 3" in read(refused).text
    kept = {name: read(refused).fields[name] for name in ("prompt_ply", "request_id")}
    shown = client.post(match.get_absolute_url(), {**kept, "choose": "bid 3"})
    assert "Play bid 3" in read(shown).text
    assert Match.objects.get().ply == match.ply


def test_a_tutorial_understands_its_own_task(ana: User) -> None:
    tried = signed_in(ana).get("/games/gem/tutorial/open/", {"text": "Ich biete 2"})
    assert "is not understood here" not in read(tried).text


def test_a_puzzle_takes_it(ana: User) -> None:
    stored = pose()
    assert stored.best == "pass"
    signed_in(ana).post(f"/puzzles/{stored.day}/", {"text": "Ich steige aus, danke."})
    assert ana.puzzle_answers.get().is_right


def test_a_what_if_takes_it(ana: User, ben: User) -> None:
    over = play_to_the_end(make_match(players=[ana, ben]))
    tree = begin_what_if(over, ana, 0, None, "", now=NOON)
    signed_in(ana).post(f"{tree.get_absolute_url()}0/", {"text": "I bid three", "play": "1"})
    tree.refresh_from_db()
    assert [move["text"] for move in tree.moves] == ["bid 3"]


UNREAD = "Three it is, one for each amethyst."


def test_a_tutorial_offers_what_may_be_meant_and_tries_nothing(ana: User) -> None:
    address, client = "/games/gem/tutorial/open/", signed_in(ana)
    shown = read(client.get(address, {"text": UNREAD}))
    assert "Did you mean this? bid 3" in shown.text
    assert shown.fields["text"] == UNREAD
    chosen = read(client.get(address, {"choose": "bid 3"}))
    assert chosen.fields["text"] == "bid 3"
    assert "Did you mean" not in chosen.text


def test_a_puzzle_offers_it_and_keeps_no_answer(ana: User) -> None:
    address, client = f"/puzzles/{pose().day}/", signed_in(ana)
    shown = read(client.post(address, {"text": UNREAD}))
    assert "Did you mean this? bid 3" in shown.text
    assert "pass" not in shown.text.partition("Did you mean this?")[2].partition("What can I write?")[0]
    assert read(client.get(address, {"choose": "bid 3"})).fields["text"] == "bid 3"
    assert not ana.puzzle_answers.exists()


def test_a_what_if_offers_it_and_plays_nothing(ana: User, ben: User) -> None:
    over = play_to_the_end(make_match(players=[ana, ben]))
    tree = begin_what_if(over, ana, 0, None, "", now=NOON)
    address, client = f"{tree.get_absolute_url()}0/", signed_in(ana)
    shown = read(client.post(address, {"text": UNREAD, "play": "1"}))
    assert "Did you mean this? bid 3" in shown.text
    assert read(client.get(address, {"choose": "bid 3"})).fields["text"] == "bid 3"
    tree.refresh_from_db()
    assert tree.moves == []


def test_what_is_offered_is_said_in_words(ana: User, ben: User) -> None:
    shown = read(Client().get("/games/florentine/tutorial/first/", {"text": "Ich lege rrbo hin"}))
    assert "Did you mean this? Place rrbo, with gem, on d4, facing north place rrbo d4 N" in shown.text
    match = make_match("florentine", players=[ana, ben])
    mover = next(seat.user for seat in match.read_seats() if seat.is_waiting)
    assert mover is not None
    page = read(signed_in(mover).get(match.get_absolute_url()))
    card = page.text.partition("Place ")[2].partition(" ")[0].rstrip(",")
    refused = read(send(signed_in(mover), match, f"what about {card} on d4, north?"))
    assert f"Did you mean this? Place {card}" in refused.text


def test_what_was_typed_in_words_stays_when_the_move_it_says_is_refused(
    ana: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = play_to_the_end(make_match(players=[ana, ben]))
    tree = begin_what_if(over, ana, 0, None, "", now=NOON)
    monkeypatch.setattr("games.what_if.MOST_MOVES", 0)
    refused = signed_in(ana).post(f"{tree.get_absolute_url()}0/", {"text": "I bid three", "play": "1"})
    assert refused.status_code == 422
    assert read(refused).fields["text"] == "I bid three"
    assert "Did you mean" not in read(refused).text


def test_nothing_is_offered_for_a_move_that_the_rules_refuse(ana: User) -> None:
    client, address = signed_in(ana), f"/puzzles/{pose().day}/"
    assert "Did you mean" not in read(client.post(address, {"text": "bid 99"})).text
    assert "Did you mean" not in read(client.get("/games/gem/tutorial/open/", {"text": "pass"})).text
