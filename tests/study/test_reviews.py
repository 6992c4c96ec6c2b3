"""Reviews: what they say of a finished match, who may have one, and that none comes of a match that goes on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client

from games.analysis import SLIP
from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.models import Match, Move
from gemserver.matches.refusal import Refused
from gemserver.study import reviews
from gemserver.study.models import Review
from gemserver.study.reviews import ask_review, find_review, go_on, list_moves, list_turning_points
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_match, make_user, play_to_the_end, play_until
from tests.clubs.people import make_club, play_in
from tests.site.pages import read, signed_in
from tests.study.practice import practise

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that looks but briefly."""
    monkeypatch.setattr("games.analysis.REVIEW_SIMULATIONS", 2)
    monkeypatch.setattr("games.analysis.EXPECTING", 2)
    monkeypatch.setitem(reviews.review.__kwdefaults__, "simulations", 2)


@pytest.fixture
def over(players: list[User]) -> Match:
    return play_to_the_end(make_match("jewellers", players=players[:2]))


def finish() -> None:
    while go_on():
        pass


def why(match: Match, user: User) -> str:
    with pytest.raises(Refused) as refused:
        ask_review(match, user, now=clock.now())
    return refused.value.code


def test_a_review_has_every_position_and_ends_with_the_result(over: Match, players: list[User]) -> None:
    assert not ask_review(over, players[0], now=clock.now()).is_done
    finish()
    found = find_review(over, players[0])
    assert found is not None
    assert found.is_done
    assert len(found.plies) == over.ply + 1
    for each in found.plies:
        assert len(each["known"]) == len(each["true"]) == 2
        assert all(0 <= value <= 100 for value in [*each["known"], *each["true"]])
    last = found.plies[-1]["known"]
    best = min(over.read_seats(), key=lambda seat: seat.rank or 0)
    assert last[best.index] == max(last)
    turning = list_turning_points(found)
    assert len(turning) <= 3
    assert all(each.loss >= SLIP for each in turning)
    assert turning == sorted(turning, key=lambda each: each.ply)
    moves = {move.ply: move.text for move in over.moves.all()}
    assert all(moves[each.ply] == each.played for each in list_moves(found))


def test_done_in_pieces_it_is_the_one_done_at_once(
    over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_review(over, players[0], now=clock.now())
    monkeypatch.setattr(reviews, "PIECE", 1000.0)
    assert not go_on()
    whole = Review.objects.get().plies
    Review.objects.all().delete()
    ask_review(over, players[0], now=clock.now())
    monkeypatch.setattr(reviews, "PIECE", 0.0)
    pieces = 1
    while go_on():
        pieces += 1
    assert pieces == over.ply + 1
    assert Review.objects.get().plies == whole


def test_who_resigns_in_the_lead_ends_with_nothing(players: list[User]) -> None:
    match = play_until(make_match("jewellers", players=players[:2]), lambda reached: reached.ply >= 12)
    scores = match.rules.standing(replay.position(match))
    leader = scores.index(max(scores))
    resign(match.pk, players[leader], source=Move.Source.WEB, request_id="resign", now=NOON)
    ask_review(Match.objects.get(pk=match.pk), players[0], now=clock.now())
    finish()
    last = Review.objects.get().plies[-1]["known"]
    assert (last[leader], last[1 - leader]) == (0, 100)


def test_a_busy_database_loses_no_review(
    over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(found: Review) -> None:
        raise OperationalError("canceling statement due to lock timeout")

    ask_review(over, players[0], now=clock.now())
    with monkeypatch.context() as patched:
        patched.setattr(reviews, "_work", busy)
        assert not go_on()
    finish()
    assert Review.objects.get().is_done


def test_there_is_none_of_a_match_that_goes_on(players: list[User]) -> None:
    match = make_match(players=players)
    assert why(match, players[0]) == "still-running"
    match = practise(make_user("cecil"))
    assert why(match, match.seats.get(user__username="cecil").user) == "still-running"
    assert not Review.objects.exists()


def test_there_is_none_while_another_match_of_the_deal_runs(over: Match, players: list[User]) -> None:
    ask_review(over, players[0], now=clock.now())
    other = make_match("jewellers", players=players[:2])
    Match.objects.filter(pk=other.pk).update(server_part=over.server_part)
    assert why(over, players[0]) == "same-deal-runs"
    finish()
    assert not Review.objects.exists()
    with pytest.raises(Refused):
        find_review(over, players[0])


def test_only_matches_that_the_server_dealt_and_the_reader_may_know(players: list[User]) -> None:
    friends, stranger = play_to_the_end(make_match("jewellers", players=players[:2])), make_user("eve")
    assert ask_review(friends, stranger, now=clock.now())
    Match.objects.filter(pk=friends.pk).update(access=Match.Access.INVITED)
    assert why(Match.objects.get(pk=friends.pk), stranger) == "not-studied"
    assert find_review(friends, players[0])
    imported = play_to_the_end(make_match("jewellers", players=players[:2]))
    Match.objects.filter(pk=imported.pk).update(dealt_by={"seed": "0" * 64})
    assert why(Match.objects.get(pk=imported.pk), players[0]) == "not-studied"
    Review.objects.all().delete()
    guest = make_user("guest", is_guest=True)
    assert why(friends, guest) == "guest"


def test_an_account_begins_ten_a_day(
    over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MOST_A_DAY", 1)
    ask_review(over, players[0], now=NOON)
    ask_review(over, players[0], now=NOON)
    other = play_to_the_end(make_match("jewellers", players=players[:2]))
    with pytest.raises(Refused, match="reviews within a day"):
        ask_review(other, players[0], now=NOON)
    ask_review(other, players[1], now=NOON)
    ask_review(over, players[0], now=NOON + timedelta(days=1, seconds=1))


def test_the_page_asks_tells_how_far_it_is_and_shows_it(over: Match, players: list[User]) -> None:
    client, path = signed_in(players[0]), f"/m/{over.code}/review/"
    assert "Review this match" in read(client.get(path)).text
    assert path in read(client.get(f"/m/{over.code}/")).links
    assert client.post(path).status_code == 302
    assert "A bot looks at the match" in read(client.get(path)).text
    finish()
    page = client.get(path).content.decode()
    assert page.count('class="known"') == page.count('class="true"') == 2
    assert f'href="/m/{over.code}/ply/' in page
    assert Client().get(path)["Location"].startswith("/accounts/login/")


def test_strangers_of_a_private_club_find_nothing(players: list[User]) -> None:
    match = play_to_the_end(play_in(make_club("Kellerkinder", *players), *players))
    ask_review(match, players[0], now=clock.now())
    assert signed_in(make_user("eve")).get(f"/m/{match.code}/review/").status_code == 404
    assert code_of(Program.of(make_user("dee")).get(f"matches/{match.code}/review")) == "no-such-match"


def test_programs_ask_for_it_and_read_it(over: Match, players: list[User]) -> None:
    program, path = Program.of(players[0]), f"matches/{over.code}/review"
    assert code_of(program.get(path)) == "no-review"
    assert program.post(path).status_code == 200
    assert program.get(path).json()["done"] is False
    finish()
    shown = program.get(path).json()
    assert shown["done"] is True
    assert len(shown["plies"]) == over.ply + 1
    assert {move["seat"] for move in shown["moves"]} == {"A", "B"}


def test_a_match_whose_game_fails_holds_up_no_other(
    over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = play_to_the_end(make_match("jewellers", players=players[:2]))
    ask_review(over, players[0], now=clock.now())
    ask_review(other, players[0], now=clock.now() + timedelta(seconds=1))
    make_record = reviews.records.make_record
    monkeypatch.setattr(
        reviews.records, "make_record", lambda match: 1 / 0 if match == over else make_record(match)
    )
    finish()
    assert [found.match for found in Review.objects.filter(done_at__isnull=False)] == [other]
    assert not Review.objects.filter(match=over).exists()
