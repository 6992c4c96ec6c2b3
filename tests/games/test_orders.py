"""Plans and sealed orders as text: reading, refusing, and staying readable for later."""

from __future__ import annotations

from gettext import NullTranslations

import pytest

from games.chance import Chance
from games.contract import IllegalMove
from games.orders import (
    Orders,
    UnreadableOrder,
    check_order,
    find_legal,
    has_alternatives,
    list_choosers,
    read_orders,
    write_orders,
)
from games.registry import GAMES, game
from tests.games.jewellers import positions as jewellers
from tests.games.playing import CASES, Case, play_match

GEM = game("gem")
JEWELLERS = game("jewellers")


def gem_opening(seats: int = 3) -> object:
    codes = "SR RE EA AT TS D1 SE ET TR RA AS D2 SS RR EE AA TT D3"
    return GEM.rules.deal_explicit(seats=seats, options={}, deal=codes, first=0)


def jewellers_auction(*hands: str) -> object:
    """An auction in which the medium pearl was drawn and A bids first."""
    state = jewellers.with_hands(jewellers.first_position(len(hands)), *hands)
    return jewellers.play(state, "draw medium")


def test_a_plan_is_read_line_by_line_with_its_alternatives() -> None:
    text = "always\nBID  3 else bid 2.\n\ntake sr pay 1 2 else\n take re pay 3; pass"
    orders = read_orders(GEM, gem_opening(), 1, text)
    assert orders.is_always
    assert orders.lines == (("bid 3", "bid 2"), ("take SR pay 1 2", "take RE pay 3"), ("pass",))
    assert write_orders(orders) == "bid 3 else bid 2; take SR pay 1 2 else take RE pay 3; pass"


def test_the_last_line_repeats() -> None:
    orders = read_orders(GEM, gem_opening(), 1, "bid 1\npass")
    assert [orders.advance(times).next_line for times in range(4)] == [("bid 1",), *[("pass",)] * 3]
    assert orders.advance(1).ahead == Orders((("pass",),))
    assert orders.advance(7).ahead == Orders((("pass",),))


@pytest.mark.parametrize(
    ("text", "bad", "code"),
    [
        ("bid 1 else frobnicate", "frobnicate", "unknown-word"),
        ("bid 1 else", "bid 1 else", "empty"),
        ("bid 1\nbid", "bid", "no-number"),
        ("", "", "empty"),
        ("always", "always", "empty"),
        ("\n".join(["pass"] * 101), "pass", "too-long"),
    ],
)
def test_every_alternative_must_be_a_move(text: str, bad: str, code: str) -> None:
    with pytest.raises(UnreadableOrder) as caught:
        read_orders(GEM, gem_opening(), 1, text)
    assert caught.value.error.code == code
    assert caught.value.text.startswith(bad)


def test_else_is_a_word_of_its_own() -> None:
    assert has_alternatives("up to 17 ELSE pass")
    assert has_alternatives("bid 1 else")
    assert not has_alternatives("play elsewhere")


def test_an_ambiguous_alternative_is_refused_when_it_is_stored() -> None:
    """`else` never skips what is ambiguous."""
    with pytest.raises(UnreadableOrder) as caught:
        read_orders(GEM, gem_opening(), 1, "take ruby else pass")
    assert caught.value.error.kind == "ambiguous"


def test_up_to_stays_what_it_is_in_an_order() -> None:
    state = jewellers_auction("3 4 5", "2 10")
    assert JEWELLERS.rules.write(JEWELLERS.rules.parse(state, 0, "up to 9")) == "bid 3"
    assert read_orders(JEWELLERS, state, 0, "up to 9 else pass").lines == (("up to 9", "pass"),)


def test_the_first_legal_alternative_is_found() -> None:
    state = GEM.rules.apply(
        gem_opening(), 0, GEM.rules.parse(gem_opening(), 0, "bid 4"), Chance("", "x")
    ).state
    assert find_legal(GEM, state, 1, ("bid 3", "bid 5", "bid 6"), Chance("", "x")) == GEM.rules.parse(
        state, 1, "bid 5"
    )
    assert find_legal(GEM, state, 1, ("bid 3", "bid 4"), Chance("", "x")) is None
    assert find_legal(GEM, state, 1, (), Chance("", "x")) is None


def test_the_oyas_pass_reads_as_a_bid_of_nothing_in_a_sealed_order() -> None:
    state = gem_opening()
    assert read_orders(GEM, state, 0, "pass", is_sealed=True).lines == (("bid 0",),)
    assert read_orders(GEM, state, 1, "pass", is_sealed=True).lines == (("pass",),)
    assert read_orders(GEM, state, 0, "pass").lines == (("pass",),)


@pytest.mark.parametrize(
    ("seat", "text", "code"),
    [(0, "bid 7", "too-high"), (1, "bid 7", "too-high"), (1, "bid 0", "too-low"), (1, "keep", "wrong-phase")],
)
def test_an_order_that_could_never_be_legal_is_refused(seat: int, text: str, code: str) -> None:
    state = gem_opening()
    with pytest.raises(IllegalMove) as caught:
        check_order(GEM, state, seat, read_orders(GEM, state, seat, text, is_sealed=True))
    assert caught.value.code == code
    check_order(GEM, state, seat, read_orders(GEM, state, seat, f"{text} else bid 1", is_sealed=True))


def test_who_has_nothing_to_decide_is_not_asked() -> None:
    state = jewellers_auction("9 10", "2 7", "5 6")
    assert JEWELLERS.rules.bidders(state) == {0, 1, 2}
    assert list_choosers(JEWELLERS, state) == {0, 2}, "B cannot beat A's lowest card"
    assert list_choosers(GEM, gem_opening()) == {0, 1, 2}


@pytest.mark.parametrize("case", [case for case in CASES if case.seats <= 3], ids=str)
def test_what_was_readable_once_is_readable_in_every_later_position(case: Case) -> None:
    """A canonical text is free of its context, so a plan cannot become unreadable."""
    rules = case.rules
    match = play_match(case)
    texts = list(dict.fromkeys(rules.write(played.move) for played in match))[:: max(1, len(match) // 12)]
    for played in match[:: max(1, len(match) // 8)]:
        for text in texts:
            for seat in range(case.seats):
                assert rules.write(rules.parse(played.before, seat, text)) == text
    assert GAMES[case.slug].rules is rules


@pytest.mark.parametrize("slug", ["gem", "jewellers"])
def test_the_question_for_an_order_lists_orders_that_can_be_given(slug: str) -> None:
    entry = game(slug)
    assert entry.sealed_pace
    names = ("Ana", "Benedikt von und zu Hohenfels-Schwarzenberg", "Cy", "Dee")
    asked = 0
    for case in (case for case in CASES if case.slug == slug and case.seats in (2, 4)):
        for played in play_match(case):
            if not entry.rules.bidders(played.before):
                continue
            for seat in list_choosers(entry, played.before):
                view = entry.rules.view(played.before, seat)
                lines = entry.sealed_pace.prompt(view, NullTranslations(), names).splitlines()
                texts = [line.partition("write:  ")[2] for line in lines if line.startswith("To play")]
                assert texts
                assert max(map(len, lines)) <= 72
                for text in texts:
                    orders = read_orders(entry, played.before, seat, text, is_sealed=True)
                    check_order(entry, played.before, seat, orders)
                    asked += 1
    assert asked > 100
