"""Reviews and shares of matches whose players changed, left for good, or did not play to the end."""

from __future__ import annotations

import re

import pytest
from django.core import mail
from django.test import Client

from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.seats.hand_over import reassign_seat
from gemserver.matches.models import Match, Move
from gemserver.notify import delivery
from gemserver.study.models import Review
from gemserver.study.review_words import find_movers
from gemserver.study.reviews import ask_review, go_on
from tests.builders import NOON, make_match, make_user, play_to_the_end, play_until
from tests.site.pages import read, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("brief_reviews")]


@pytest.fixture
def running(players: list[User]) -> Match:
    return play_until(make_match("jewellers", players=players[:2]), lambda reached: reached.ply >= 8)


def reread(match: Match) -> Match:
    return Match.objects.get(pk=match.pk)


def look_back(match: Match, reader: User) -> str:
    """The text of the page of the review, which opens every move."""
    ask_review(match, reader, now=clock.now())
    while go_on():
        pass
    assert Review.objects.get().is_done
    return read(signed_in(reader).get(f"/m/{match.code}/review/")).text


def require_shared(match: Match) -> str:
    """Look at page and picture of the match as a stranger; the text of the page."""
    for path in (f"/s/{match.code}/3/", f"/s/{match.code}.png"):
        assert Client().get(path).status_code == 200, path
    return read(Client().get(f"/s/{match.code}/")).text


@pytest.mark.slow
def test_a_substitute_is_not_blamed_for_former_moves(running: Match, players: list[User]) -> None:
    ana, ben = players[:2]
    sam = make_user("sam")
    reassign_seat(running.pk, 0, sam, "Ana is away.", now=NOON)
    match = play_to_the_end(reread(running))
    movers = find_movers(match)
    early = {movers[move.ply] for move in match.moves.filter(ply__lte=8, seat=0, source="web")}
    late = {movers[move.ply] for move in match.moves.filter(ply__gt=8, seat=0, source="web")}
    assert (early, late) == ({ana.username}, {sam.username})
    text = look_back(match, ben)
    rows = re.findall(r"\b(\d+) (ana|ben|sam) ", text)
    assert rows
    assert all((name == "sam") == (int(ply) > 8) for ply, name in rows if name != "ben")
    assert "sam" in require_shared(match)


@pytest.mark.slow
def test_who_erases_the_account_is_a_number_in_review_and_share(running: Match, players: list[User]) -> None:
    ana, ben = players[:2]
    match = play_to_the_end(running)
    ask_review(match, ana, is_by_mail=True, now=clock.now())
    picture = Client().get(f"/s/{match.code}.png")
    erase(ana, now=clock.now())
    text = look_back(match, ben)
    assert "player 1" in text
    assert "ana" not in text.split()
    assert "player 1" in require_shared(match)
    assert Client().get(f"/s/{match.code}.png")["ETag"] != picture["ETag"]


@pytest.mark.slow
def test_a_former_player_whose_account_is_gone_is_not_the_substitute(
    running: Match, players: list[User]
) -> None:
    ana, ben = players[:2]
    reassign_seat(running.pk, 0, make_user("sam"), "Ana is away.", now=NOON)
    erase(ana, now=clock.now())
    match = play_to_the_end(reread(running))
    movers = find_movers(match)
    assert {movers[move.ply] for move in match.moves.filter(ply__lte=8, seat=0, source="web")} == {"player 1"}
    look_back(match, ben)


def test_nobody_is_praised_for_a_match_without_a_move(players: list[User]) -> None:
    ana, ben = players[:2]
    match = make_match(players=[ana, ben])
    resign(match.pk, ana, source=Move.Source.WEB, request_id="1", now=NOON)
    ask_review(match := reread(match), ben, is_by_mail=True, now=clock.now())
    text = look_back(match, ben)
    delivery.send_queued()
    (letter,) = [each for each in mail.outbox if "A bot has gone through" in each.body]
    for each in (text, letter.body, letter.alternatives[0][0]):
        assert "Nobody chose a move in this match, so there is none to judge." in each
        assert "Well played" not in each


@pytest.mark.slow
def test_an_adjudicated_match_can_be_shared_and_reviewed(running: Match, players: list[User]) -> None:
    adjudicate(running.pk, {1}, "Ana never came back.", now=NOON)
    match = reread(running)
    look_back(match, players[0])
    page = signed_in(players[0]).get(f"/m/{match.code}/review/").content.decode()
    assert re.search(r'aria-label="ben: from \d+ to 100 of 100', page)
    assert re.search(r'aria-label="ana: from \d+ to 0 of 100', page)
    assert Client().get(f"/s/{match.code}.gif").status_code == 200
    require_shared(match)


@pytest.mark.slow
def test_a_match_between_people_that_a_bot_finished_is_reviewed_without_the_bots_moves(
    running: Match, players: list[User]
) -> None:
    reassign_seat(running.pk, 0, None, "Ana is away.", now=NOON)
    match = play_to_the_end(reread(running))
    look_back(match, players[1])
    by_bot = set(match.moves.filter(source="bot").values_list("ply", flat=True))
    assert by_bot
    judged = {ply for ply, each in enumerate(Review.objects.get().plies) if each["move"]}
    assert not judged & by_bot
    require_shared(match)
