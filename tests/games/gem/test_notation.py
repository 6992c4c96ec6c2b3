"""GEM's move texts: texts that are read, and texts that are refused."""

from __future__ import annotations

import pytest

from games.contract import AmbiguousMove, InvalidMove
from games.gem.rules import RULES
from games.gem.state import Bid, Invest, Keep, Move, Pass, Phase, Take
from tests.games.gem.positions import ALL_COINS, first_position, on_day

BIDDING = first_position(3)
TAKING = on_day(2, "SR RE D2", active=(f"{ALL_COINS} TT AA", "1"), phase=Phase.TAKE, calls=(3, None))
INVESTING = on_day(
    2, "", active=(f"{ALL_COINS} TT", "1"), inactive=("SR ET D1 D2", ""), phase=Phase.INVEST, buyer=0
)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("bid 3", Bid(3)),
        ("BID 03.", Bid(3)),
        ("\u00a0bid\u00a03 ", Bid(3)),
        ("b 3", Bid(3)),
        ("pass", Pass()),
        ("Pass.", Pass()),
        ("p", Pass()),
        ("keep", Keep()),
        ("take SR pay 1 2", Take("SR", ("1", "2"))),
        ("invest SR pay 1", Invest(("SR",), ("1",))),
    ],
)
def test_reading_while_bids_are_asked(text: str, move: Move) -> None:
    """A move of a later phase must be written in full (a plan may hold it)."""
    assert RULES.parse(BIDDING, 0, text) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("take SR", Take("SR", ())),
        ("take rs pay 2 1", Take("SR", ("1", "2"))),
        ("t d2 p tt", Take("D2", ("TT",))),
        ("take D2 pay TT 1", Take("D2", ("1", "TT"))),
        ("take sapphire-ruby pay 3", Take("SR", ("3",))),
        ("take sapphire ruby pay 3", Take("SR", ("3",))),
        ("take ruby sapphire pay 3", Take("SR", ("3",))),
        ("take sapph pay 3", Take("SR", ("3",))),
        ("take em pay 3", Take("RE", ("3",))),
        ("take diamond pay topaz", Take("D2", ("TT",))),
        ("take diamond 2 pay 3", Take("D2", ("3",))),
        ("take diamond-3 pay 3", Take("D3", ("3",))),
        ("take SR pay amethyst amethyst", Take("SR", ("AA",))),
        ("take SR pay 01 02", Take("SR", ("1", "2"))),
    ],
)
def test_reading_while_a_card_is_taken(text: str, move: Move) -> None:
    assert RULES.parse(TAKING, 0, text) == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("invest ET SR pay 3", Invest(("SR", "ET"), ("3",))),
        ("i sapphire emerald pay 3", Invest(("SR", "ET"), ("3",))),
        ("invest sapphire-ruby d1 pay 2", Invest(("SR", "D1"), ("2",))),
        ("k", Keep()),
    ],
)
def test_reading_while_investments_are_asked(text: str, move: Move) -> None:
    assert RULES.parse(INVESTING, 0, text) == move


@pytest.mark.parametrize(
    ("paid", "pieces"),
    [
        ("diamond 2", ("D2",)),
        ("1 diamond 2", ("1", "D2")),
        ("diamond 2 1", ("1", "D2")),
        ("2 diamond 2", ("2", "D2")),
        ("diamond 3 diamond 2 3", ("3", "D2", "D3")),
        ("diam 3", ("D3",)),
    ],
)
def test_the_number_of_a_diamond_is_no_coin(paid: str, pieces: tuple[str, ...]) -> None:
    taking = on_day(2, "SR RE", active=(f"{ALL_COINS} D2 D3", "1"), phase=Phase.TAKE, calls=(3, None))
    assert RULES.parse(taking, 0, f"take SR pay {paid}") == Take("SR", pieces)


def test_behind_a_diamond_of_another_number_stands_a_coin() -> None:
    taking = on_day(2, "SR RE", active=(f"{ALL_COINS} D3", "1"), phase=Phase.TAKE, calls=(3, None))
    assert RULES.parse(taking, 0, "take SR pay diamond 2") == Take("SR", ("2", "D3"))


def test_who_must_open_is_not_told_to_begin_with_a_pass() -> None:
    oya = BIDDING.oya
    with pytest.raises(InvalidMove, match="bid") as refused:
        RULES.parse(BIDDING, oya, "hello")
    assert refused.value.message.params["candidates"] == "bid"
    with pytest.raises(InvalidMove) as refused:
        RULES.parse(BIDDING, (oya + 1) % 3, "hello")
    assert refused.value.message.params["candidates"] == "bid, pass"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        (" . ", "empty"),
        ("hello", "unknown-word"),
        ("- bid 3", "unknown-word"),
        ("1) bid 3", "unknown-word"),
        ("To play, write: bid 3", "unknown-word"),
        ("bid", "no-number"),
        ("bid three", "not-a-number"),
        ("bid -1", "not-a-number"),
        ("bid 1000000000", "not-a-number"),
        ("bid ²", "not-a-number"),
        ("bid 3 4", "unexpected"),
        ("pass 3", "unexpected"),
        ("keep SR", "unexpected"),
        ("take", "one-card"),
        ("take SR RE", "one-card"),
        ("take pay 3", "one-card"),
        ("take SR pay", "no-payment"),
        ("take XY", "unknown-card"),
        ("take SR pay 4", "unknown-card"),
        ("invest", "no-card"),
        ("invest pay 3", "no-card"),
        ("invest opal pay 3", "unknown-card"),
    ],
)
def test_what_is_no_move(text: str, code: str) -> None:
    with pytest.raises(InvalidMove) as refusal:
        RULES.parse(BIDDING, 0, text)
    assert refusal.value.code == code


def test_a_jewel_that_two_open_cards_show_is_ambiguous() -> None:
    with pytest.raises(AmbiguousMove) as refusal:
        RULES.parse(TAKING, 0, "take ruby pay 3")
    assert refusal.value.code == "ambiguous-card"
    assert "SR, RE" in str(refusal.value)


def test_two_inactive_diamonds_are_ambiguous() -> None:
    with pytest.raises(AmbiguousMove):
        RULES.parse(INVESTING, 0, "invest diamond pay 1")


def test_a_foreign_move_is_read_but_its_beginning_is_not_enough() -> None:
    with pytest.raises(InvalidMove):
        RULES.parse(BIDDING, 0, "k")


@pytest.mark.parametrize(
    ("move", "text"),
    [
        (Bid(0), "bid 0"),
        (Pass(), "pass"),
        (Take("SR", ("1", "2")), "take SR pay 1 2"),
        (Take("SR", ()), "take SR"),
        (Invest(("SR", "ET"), ("2", "3")), "invest SR ET pay 2 3"),
        (Keep(), "keep"),
    ],
)
def test_writing(move: Move, text: str) -> None:
    assert RULES.write(move) == text


@pytest.mark.parametrize("deal", ["SR", "SR " * 18, "XX RE EA AT TS D1 SE ET TR RA AS D2 SS RR EE AA TT D3"])
def test_a_deal_must_name_each_card_once(deal: str) -> None:
    with pytest.raises(InvalidMove):
        RULES.deal_explicit(seats=2, options={}, deal=deal, first=0)
