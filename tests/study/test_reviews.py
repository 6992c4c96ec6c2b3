"""Reviews: what they say of a finished match, who may have one, and that none comes of a match that goes on."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from games.analysis import SLIP
from gemserver.accounts.models import User
from gemserver.inbox.erasure import erase
from gemserver.lib import clock
from gemserver.matches import replay
from gemserver.matches.actions.play.adjudicate import adjudicate
from gemserver.matches.actions.play.resign import resign
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.models import Match, Move
from gemserver.matches.refusal import Refused
from gemserver.study import reviews, tasks
from gemserver.study.models import Hint, Review
from gemserver.study.reviews import ask_review, find_review, go_on, list_moves, list_turning_points
from tests.api.programs import Program, code_of
from tests.builders import NOON, make_match, make_user, play_to_the_end, play_until
from tests.clubs.people import make_club, play_in
from tests.site.pages import read, signed_in
from tests.study.practice import practise

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("brief_reviews")]


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


@pytest.mark.slow
def test_a_review_has_every_position_and_ends_with_the_result(over: Match, players: list[User]) -> None:
    assert not ask_review(over, players[0], now=clock.now()).is_done
    finish()
    found = find_review(over, players[0], clock.now())
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_who_resigns_in_the_lead_ends_with_nothing(players: list[User]) -> None:
    match = play_until(make_match("jewellers", players=players[:2]), lambda reached: reached.ply >= 12)
    scores = match.rules.standing(replay.position(match))
    leader = scores.index(max(scores))
    resign(match.pk, players[leader], source=Move.Source.WEB, request_id="resign", now=NOON)
    ask_review(Match.objects.get(pk=match.pk), players[0], now=clock.now())
    finish()
    last = Review.objects.get().plies[-1]["known"]
    assert (last[leader], last[1 - leader]) == (0, 100)


@pytest.mark.slow
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


@pytest.mark.slow
def test_there_is_none_while_another_match_of_the_deal_runs(over: Match, players: list[User]) -> None:
    ask_review(over, players[0], now=clock.now())
    other = make_match("jewellers", players=players[:2])
    Match.objects.filter(pk=other.pk).update(server_part=over.server_part)
    assert why(over, players[0]) == "same-deal-runs"
    assert not go_on()
    assert not Review.objects.get().reached
    with pytest.raises(Refused):
        find_review(over, players[0], clock.now())
    Match.objects.filter(pk=other.pk).update(status=Match.Status.FINISHED)
    finish()
    assert Review.objects.get().is_done


@pytest.mark.slow
def test_only_matches_that_the_server_dealt_and_the_reader_may_know(players: list[User]) -> None:
    friends, stranger = play_to_the_end(make_match("jewellers", players=players[:2])), make_user("eve")
    assert ask_review(friends, stranger, now=clock.now())
    Match.objects.filter(pk=friends.pk).update(access=Match.Access.INVITED)
    assert why(Match.objects.get(pk=friends.pk), stranger) == "not-studied"
    assert find_review(friends, players[0], clock.now())
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


def test_a_person_begins_ten_a_day_together_with_their_bots_also_those_that_ended(
    players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MOST_A_DAY", 1)
    bot = make_user("ana-bot", owner=players[0])
    matches = [
        play_to_the_end(make_match("jewellers", players=[one, players[1]])) for one in (players[0], bot)
    ]
    ask_review(matches[1], bot, now=NOON)
    erase(bot, now=NOON)
    with pytest.raises(Refused, match="reviews within a day"):
        ask_review(matches[0], players[0], now=NOON)


@pytest.mark.slow
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


@pytest.mark.slow
def test_strangers_of_a_private_club_find_nothing(players: list[User]) -> None:
    match = play_to_the_end(play_in(make_club("Kellerkinder", *players), *players))
    ask_review(match, players[0], now=clock.now())
    assert signed_in(make_user("eve")).get(f"/m/{match.code}/review/").status_code == 404
    assert code_of(Program.of(make_user("dee")).get(f"matches/{match.code}/review")) == "no-such-match"


@pytest.mark.slow
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


def test_it_says_moves_in_words_with_the_notation_behind(players: list[User]) -> None:
    match = play_to_the_end(make_match("florentine", players=players[:2]))
    placed = match.moves.filter(text__startswith="place").order_by("ply")[3]
    judged = {"seat": placed.seat, "played": placed.text, "best": placed.text, "worth": 60, "loss": 20}
    plies = [{"known": [50, 50], "true": [50, 50], "move": None} for _ in range(match.ply + 1)]
    plies[placed.ply]["move"] = judged
    Review.objects.create(
        match=match, user=players[0], asked_at=NOON, done_at=NOON, plies=plies, reached=len(plies)
    )
    _, card, cell, facing = placed.text.split()
    side = {"N": "north", "E": "east", "S": "south", "W": "west"}[facing]
    page = signed_in(players[0]).get(f"/m/{match.code}/review/").content.decode()
    sentence, table = page.split("Every move that somebody chose")
    assert f"played “Place {card}" in sentence
    assert f"on {cell}, facing {side}" in sentence
    assert f"({placed.text}); “" in sentence
    assert f"on {cell}, facing {side}" in table


@pytest.fixture
def failing(over: Match, monkeypatch: pytest.MonkeyPatch) -> Match:
    """A match whose rules fail when it is replayed."""
    make_record = reviews.records.make_record
    monkeypatch.setattr(
        reviews.records, "make_record", lambda match: 1 / 0 if match == over else make_record(match)
    )
    return over


@pytest.mark.slow
def test_a_match_whose_game_fails_holds_up_no_other(failing: Match, players: list[User]) -> None:
    other = play_to_the_end(make_match("jewellers", players=players[:2]))
    ask_review(failing, players[0], now=clock.now())
    ask_review(other, players[0], now=clock.now())
    finish()
    assert Review.objects.get(match=other).is_done
    assert not Review.objects.get(match=failing).is_done
    page = read(signed_in(players[0]).get(f"/m/{failing.code}/review/", follow=True))
    assert f"A bot could not go through {failing.code}." in page.text


@pytest.mark.slow
def test_one_that_failed_counts_and_is_begun_again_after_a_day(
    failing: Match, players: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MOST_A_DAY", 1)
    other = play_to_the_end(make_match("jewellers", players=players[:2]))
    ask_review(failing, players[0], now=clock.now())
    finish()
    assert why(failing, players[0]) == "review-failed"
    assert why(failing, players[1]) == "review-failed"
    assert why(other, players[0]) == "too-many-reviews"
    tomorrow = clock.now() + timedelta(days=1)
    assert find_review(failing, players[0], tomorrow) is None
    assert ask_review(failing, players[1], now=tomorrow).done_at is None


@pytest.mark.slow
def test_reviews_take_turns(over: Match, players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long one, a short one that is asked for later has every second piece."""
    monkeypatch.setattr(reviews, "PIECE", 0.0)
    others = [play_to_the_end(make_match("jewellers", players=players[:2])) for _ in range(2)]
    for match in (over, *others):
        ask_review(match, players[0], now=clock.now())
    for number in range(1, 4):
        for _ in range(3):
            go_on()
        assert set(Review.objects.values_list("reached", flat=True)) == {number}


def test_hints_come_before_the_next_piece(players: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr(tasks.hints, "think_of_all", lambda: order.append("hints"))
    monkeypatch.setattr(tasks.reviews, "go_on", lambda: order.append("a piece") is None and len(order) < 4)
    monkeypatch.setattr(tasks, "nudge", lambda name: tasks.think())
    tasks.think()
    assert order == ["hints", "a piece", "hints", "a piece"]


@pytest.mark.slow
def test_an_adjudicated_match_ends_with_what_was_decided(players: list[User]) -> None:
    """The one who is behind is given the win; a share of it is the others' who tie."""
    match = play_until(make_match("jewellers", players=players[:2]), lambda reached: reached.ply >= 12)
    scores = match.rules.standing(replay.position(match))
    behind = scores.index(min(scores))
    adjudicate(match.pk, {behind}, "The other one cheated.", now=NOON)
    ask_review(Match.objects.get(pk=match.pk), players[0], now=clock.now())
    finish()
    last = Review.objects.get().plies[-1]
    assert last["known"] == last["true"]
    assert (last["known"][behind], last["known"][1 - behind]) == (100, 0)


def test_one_that_ended_before_the_first_move_has_the_result_alone(players: list[User]) -> None:
    match = make_match("jewellers", players=players[:2])
    adjudicate(match.pk, {0, 1}, "Nobody came.", now=NOON)
    ask_review(Match.objects.get(pk=match.pk), players[0], now=clock.now())
    finish()
    assert [each["known"] for each in Review.objects.get().plies] == [[50, 50]]
    assert "from 50 to 50" in signed_in(players[0]).get(f"/m/{match.code}/review/").content.decode()


@pytest.mark.slow
def test_moves_that_were_taken_back_are_not_reviewed(players: list[User]) -> None:
    match = play_until(make_match("jewellers", players=players[:2]), lambda reached: reached.ply >= 6)
    void_moves(match.pk, from_ply=4, why="A wrong deal of time.", now=NOON)
    match = play_to_the_end(Match.objects.get(pk=match.pk))
    ask_review(match, players[0], now=clock.now())
    finish()
    found = Review.objects.get()
    assert len(found.plies) == match.ply + 1
    moves = {move.ply: move.text for move in match.moves.filter(voided_at=None)}
    assert all(moves[each.ply] == each.played for each in list_moves(found))


@pytest.mark.slow
def test_a_network_has_a_limit_that_no_repetition_uses_up(
    over: Match, players: list[User], settings: Settings
) -> None:
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {"review": "1/d/ip", "hint": "1/d/ip"}
    cache.clear()
    other = play_to_the_end(make_match("jewellers", players=players[:2]))
    for _ in range(2):
        assert signed_in(players[0]).post(f"/m/{over.code}/review/").status_code == 302
    page = read(signed_in(players[1]).post(f"/m/{other.code}/review/", follow=True))
    assert "Bots were asked too much from your network today" in page.text
    program = Program.of(players[1])
    assert code_of(program.post(f"matches/{other.code}/review")) == "too-many-from-here"
    assert list(Review.objects.values_list("match", flat=True)) == [over.pk]
    practice = [practise(players[0]), practise(players[1])]
    for match, user in zip(practice, players, strict=False):
        signed_in(user).post(f"/m/{match.code}/hint/")
    assert list(Hint.objects.values_list("match", flat=True)) == [practice[0].pk]
