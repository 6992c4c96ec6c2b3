"""Doubts about plans: impossible moves are found, and possible ones are never called impossible."""

from __future__ import annotations

from typing import Any

import pytest

from games.chance import NO_SEED, Chance
from games.course import Plan
from games.foresight import find_doubts, imagine_turn
from games.match import Match
from games.orders import Orders, find_legal, read_orders
from games.registry import OWN, game

SEED = "7" * 64


def deal(slug: str, seats: int = 3, **options: str) -> Any:
    rules = game(slug).rules
    given = {option.name: option.values_for(seats)[0] for option in rules.meta.options} | options
    return rules.deal(seats=seats, options=given, chance=Chance(SEED, "deal"))


def play(slug: str, state: Any, *texts: str) -> Any:
    rules = game(slug).rules
    for ply, text in enumerate(texts):
        seat = min(rules.waiting_on(state))
        state = rules.apply(state, seat, rules.parse(state, seat, text), Chance(SEED, f"ply {ply}")).state
    return state


def doubts(slug: str, state: Any, seat: int, text: str) -> list[tuple[str, str]]:
    entry = game(slug)
    plan = Plan(read_orders(entry, state, seat, text), entry.rules.context(state))
    return [(doubt.text, doubt.error.code) for doubt in find_doubts(entry, state, seat, plan)]


def test_gem_bids_beyond_all_pieces_or_below_the_lead() -> None:
    state = deal("gem")
    other = (state.oya + 1) % 3
    assert doubts("gem", state, other, "bid 99") == [("bid 99", "too-high")]
    assert doubts("gem", state, other, "bid 7 else bid 6 else pass") == [("bid 7", "too-high")]
    opened = play("gem", state, "bid 4")
    assert doubts("gem", opened, other, "bid 3 else bid 5 else pass") == [("bid 3", "too-low")]
    assert doubts("gem", opened, state.oya, "bid 5 else pass") == [
        ("bid 5", "other-contest"),
        ("pass", "other-contest"),
    ]


def test_gem_cards_that_are_not_open_and_pieces_that_are_not_active() -> None:
    state = deal("gem")
    other = (state.oya + 1) % 3
    shut = next(card for pile in state.piles for card in pile)
    assert doubts("gem", state, other, f"bid 3 else pass\ntake {shut} pay 3") == [
        (f"take {shut} pay 3", "not-open")
    ]
    card = state.open[0]
    assert doubts("gem", state, other, f"bid 3\ntake {card} pay 3 else take {card} pay {shut}") == [
        (f"take {card} pay {shut}", "not-active")
    ]
    assert doubts("gem", state, other, "bid 3\nkeep") == [("keep", "other-contest")]
    assert doubts("gem", state, other, "always\nkeep else pass") == []


def test_jewellers_cards_that_are_gone_and_limits_below_the_lead() -> None:
    state = play("jewellers", deal("jewellers"), "draw medium", "bid 5 9")
    seat = min(game("jewellers").rules.waiting_on(state))
    assert doubts("jewellers", state, seat, "up to 14 else up to 15 else pass") == [
        ("up to 14", "no-bid-within")
    ]
    assert doubts("jewellers", state, state.leader, "bid 9 else bid 10") == [("bid 9", "not-in-hand")]
    assert doubts("jewellers", state, seat, "bid 9 10; bid 2 else pass") == []
    assert doubts("jewellers", state, seat, "pass; silver R3") == [("silver R3", "other-contest")]
    assert doubts("jewellers", state, seat, "draw small") == [("draw small", "other-contest")]


def test_gembatan_gems_that_are_not_owned_and_lines_that_never_come() -> None:
    state = deal("gembatan", 2)
    seat = 1 - min(game("gembatan").rules.waiting_on(state))
    held = set(state.gem_hands[seat])
    missing = next(gem for hand in state.gem_hands for gem in hand if gem not in held)
    own = state.gem_hands[seat][0]
    assert doubts("gembatan", state, seat, f"trade gems {missing} else trade gems {own}") == [
        (f"trade gems {missing}", "not-in-hand")
    ]
    assert doubts("gembatan", state, seat, f"trade gems {own}\npass") == [("pass", "one-turn")]


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted(OWN))
def test_what_was_called_impossible_is_never_played(slug: str) -> None:
    """Random matches: no move that turns out legal for a seat within the contest was doubted before."""
    entry = game(slug)
    rules = entry.rules
    for number in range(12):
        people = Chance(SEED, f"people {slug} {number}")
        state = deal(slug, max(rules.meta.min_seats, 3))
        asked_before: dict[int, tuple[Any, str | None]] = {}
        for ply in range(60):
            if not rules.waiting_on(state):
                break
            context = rules.context(state)
            for seat in range(3):
                held = asked_before.get(seat)
                if held is None or (context is not None and held[1] != context):
                    asked_before[seat] = (state, context)
            seat = min(rules.waiting_on(state))
            move = rules.random_move(state, seat, people)
            text = rules.write(move)
            earlier, then = asked_before.pop(seat)
            if then == context:
                plan = Plan(Orders(((text,),)), then)
                found = [doubt.error for doubt in find_doubts(entry, earlier, seat, plan)]
                assert found == [], (text, ply)
                chance = Chance(SEED, f"ply {ply}")
                assert find_legal(entry, state, seat, (text,), chance) is not None
            state = rules.apply(state, seat, move, Chance(SEED, f"ply {ply}")).state


@pytest.mark.parametrize("slug", OWN)
def test_an_imagined_turn_depends_on_nothing_that_is_hidden(slug: str) -> None:
    match = Match.new(slug, seats=3, seed="imagined")
    while not match.is_over and match.ply < 12:
        for seat in range(3):
            other = match.game.rules.resample(match.state, seat, Chance(NO_SEED, "another deal"))
            turns = [
                imagine_turn(match.game, state, seat, Chance(NO_SEED, "turn"))
                for state in (match.state, other)
            ]
            assert turns[0] == turns[1]
        _ = match.play_forced() or match.play_bot("random")
