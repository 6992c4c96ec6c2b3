"""The log as people read it: a line for each event they care about, the reader addressed, nothing of others told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from gemserver.accounts.models import User
from gemserver.matches import replay
from gemserver.matches.actions.play.submit import Actor, Request, submit
from gemserver.matches.actions.play.void_moves import void_moves
from gemserver.matches.log import log_story, match_log
from gemserver.matches.models import Match, Move, Seat
from tests.builders import NOON, make_match, play
from tests.matches.sweeping import sweep

pytestmark = pytest.mark.django_db

DEAL = "1" * 64


@pytest.fixture
def match(players: list[User]) -> Match:
    return make_match(players=players, server_part=DEAL)


@pytest.fixture
def sealed(players: list[User]) -> Match:
    return make_match(players=players, options={"pace": "sealed"}, server_part=DEAL)


def from_oya(match: Match) -> list[Seat]:
    """The seats in the order of bidding."""
    seats, first = match.read_seats(), replay.position(match).oya
    return [*seats[first:], *seats[:first]]


def story(match: Match, seat: Seat | None = None, *, is_own: bool = True) -> list[str]:
    match = Match.objects.get(pk=match.pk)
    entries = log_story.tell_story(match, seat, match_log.LogRows.read(match), is_own=is_own)
    return [entry.text for entry in entries]


def order(match: Match, seat: Seat, text: str) -> None:
    assert seat.user
    request = Request(match.code, Actor.player(seat.user), text, Move.Source.WEB, f"{seat.index} {text}")
    submit(request, now=NOON)


def test_passes_in_a_row_are_one_line_with_what_came_of_them(match: Match) -> None:
    oya, second, third = from_oya(match)
    for seat, text in ((oya, "bid 2"), (second, "pass"), (third, "pass")):
        play(match, seat.index, text)
    assert story(match) == [
        f"{oya.name} bids 2.",
        f"{second.name} and {third.name} pass. {oya.name} wins the auction at 2.",
    ]


def test_the_reader_is_addressed(match: Match) -> None:
    oya, second, third = from_oya(match)
    for seat, text in ((oya, "bid 2"), (second, "pass"), (third, "pass")):
        play(match, seat.index, text)
    assert story(match, oya) == [
        "You bid 2.",
        f"{second.name} and {third.name} pass. You win the auction at 2.",
    ]
    assert story(match, second)[1] == f"You and {third.name} pass. {oya.name} wins the auction at 2."
    assert story(match, second, is_own=False) == story(match), "a sitter is not the player"


def test_what_differs_stands_apart(match: Match) -> None:
    """A pass that was forced says so, and is not joined with one that was chosen."""
    oya, second, third = from_oya(match)
    play(match, oya.index, "bid 0")
    play(match, second.index, "bid 6")
    assert [line for line in story(match) if "pass" in line] == [
        f"{third.name} passes. {second.name} wins the auction at 6."
    ]


def test_a_sealed_auction_is_one_line_with_every_bid(sealed: Match) -> None:
    oya, second, third = from_oya(sealed)
    order(sealed, oya, "bid 4")
    order(sealed, second, "bid 3")
    order(sealed, third, "pass")
    bids = f"The bids: {oya.name} 4, {second.name} 3, {third.name} passes."
    assert story(sealed) == [f"{bids} {oya.name} wins the auction at 4."], "the losing bid is not lost"
    assert story(sealed, second) == [
        f"The bids: {oya.name} 4, you 3, {third.name} passes. {oya.name} wins the auction at 4."
    ]
    [line] = story(sealed, oya)
    assert line.startswith("The bids: you 4,")
    assert line.endswith("You win the auction at 4.")


def test_no_bid_is_told_before_all_are_in(sealed: Match) -> None:
    oya, second, _ = from_oya(sealed)
    order(sealed, oya, "bid 4")
    order(sealed, second, "bid 3")
    for reader in (None, *sealed.read_seats()):
        assert story(sealed, reader) == []


def test_how_far_the_winner_would_have_gone_stays_secret(sealed: Match) -> None:
    oya, second, third = from_oya(sealed)
    order(sealed, oya, "bid 1")
    order(sealed, second, "up to 6 else pass")
    order(sealed, third, "pass")
    for reader in (None, oya, third):
        [line] = story(sealed, reader)
        assert "6" not in line
        assert f"{second.name} 2" in line


def test_a_bid_that_nobody_could_make_is_not_told(sealed: Match) -> None:
    oya, second, third = from_oya(sealed)
    order(sealed, oya, "bid 4")
    order(sealed, second, "bid 99 else bid 3")
    order(sealed, third, "pass")
    assert story(sealed)[0].startswith(f"The bids: {oya.name} 4, {second.name} 3, {third.name} passes.")


def test_who_ran_out_of_time_is_named(sealed: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    oya, second, third = from_oya(sealed)
    order(sealed, second, "bid 2")
    sweep(monkeypatch, NOON + timedelta(days=3, seconds=1))
    told = story(sealed, second)[0]
    assert told.startswith(f"The bids: you 2, {oya.name} 0, {third.name} is out of time.")


def test_an_auction_of_jewellers_is_one_line(players: list[User]) -> None:
    match = make_match("jewellers", players=players, options={"pace": "sealed"}, server_part=DEAL)
    starter = next(seat for seat in match.read_seats() if seat.is_waiting)
    play(match, starter.index, "draw medium")
    seats = match.read_seats()
    second, third = seats[(starter.index + 1) % 3], seats[(starter.index + 2) % 3]
    order(match, starter, "up to 20 else pass")
    order(match, second, "up to 9 else pass")
    order(match, third, "pass")
    drawn, auction, *_ = story(match)
    assert "draws gem 1" in drawn
    highest = replay.position(Match.objects.get(pk=match.pk)).sales[0]
    assert auction.startswith(f"The bids: {starter.name} {sum(highest.cards)}, {second.name} ")
    assert f"{third.name} passes." in auction
    assert f"{starter.name} buys the gem" in auction
    assert "adds" not in auction


def test_bids_that_were_taken_back_stay_where_they_were_struck_through(sealed: Match) -> None:
    oya, second, third = from_oya(sealed)
    for seat, text in ((oya, "bid 4"), (second, "bid 3"), (third, "pass")):
        order(sealed, seat, text)
    before = story(sealed)
    void_moves(sealed.pk, from_ply=2, why="A slip.", now=NOON)
    for seat, text in ((oya, "bid 1"), (second, "pass "), (third, "bid 2")):
        order(sealed, seat, text)
    first, voided, again = story(sealed)
    assert first == f"{before[0]} (taken back)"
    assert "A slip." in voided
    assert again.startswith(f"The bids: {third.name} 2, {oya.name} 1, {second.name} passes.")


def test_each_ply_has_its_own_sentences_still(sealed: Match) -> None:
    """The page of a ply tells what was done in it."""
    oya, second, third = from_oya(sealed)
    for seat, text in ((oya, "bid 4"), (second, "bid 3"), (third, "pass")):
        order(sealed, seat, text)
    moves = match_log.log(Match.objects.get(pk=sealed.pk), None)
    assert [entry.sentences[0] for entry in moves] == [
        f"{oya.name} bids 4.",
        f"{second.name} passes.",
        f"{third.name} passes.",
    ]
