"""Trades, and the right to pass (RULES.md, paragraphs 16 to 19)."""

from __future__ import annotations

import pytest

from games.chance import NO_SEED, Chance
from games.contract import IllegalMove
from games.gembatan.rules import RULES
from games.gembatan.state import Trade
from tests.games.gembatan.positions import find_event, list_texts, play, set_up


def test_a_trade_draws_first_and_puts_back_at_random() -> None:
    """Paragraphs 16 and 17: gems in ASCII order, then tiles, each at `below(n + 1)` of its tray of n."""
    state = set_up(
        hands=("RB BG GY RY RB-- B-Y- YO-- GO--", "RO"),
        gem_tray="PO YP RG RP",
        tile_tray="PO-- RY-- BY--",
    )
    chance = Chance(NO_SEED, "ply 7")
    gem_tray, tile_tray = ["RP"], ["BY--"]
    for gem in ("BG", "RB", "RY"):
        gem_tray.insert(chance.below(len(gem_tray) + 1), gem)
    for tile in ("B-Y-", "RB--"):
        tile_tray.insert(chance.below(len(tile_tray) + 1), tile)
    step = play(state, "trade gems RY RB BG tiles RB-- B-Y-", ply=7)
    after = step.state
    assert after.gem_hands[0] == ("GY", "PO", "RG", "YP")
    assert after.tile_hands[0] == ("GO--", "PO--", "RY--", "YO--")
    assert after.gem_tray == tuple(gem_tray)
    assert after.tile_tray == tuple(tile_tray)
    assert after.idle == 1
    assert after.turn == 1
    assert after.points == (0, 0)
    assert find_event(step, "draw").data == {"gems": ("PO", "RG", "YP"), "tiles": ("PO--", "RY--")}


def test_the_first_number_of_the_chance_is_the_first_gems_place() -> None:
    """With the seed of zeros, `ply 1` gives below(2), below(3) … as listed here."""
    numbers = Chance(NO_SEED, "ply 1")
    first, second = numbers.below(3), numbers.below(4)
    state = set_up(hands=("BG BY", "RO"), gem_tray="PO YP GO GP")
    tray = list(play(state, "trade gems BY BG").state.gem_tray)
    expected = ["GO", "GP"]
    expected.insert(first, "BG")
    expected.insert(second, "BY")
    assert tray == expected


def test_nobody_draws_back_what_was_set_aside_in_the_same_trade() -> None:
    """Paragraph 17: it goes back after the drawing."""
    state = set_up(hands=("BG", "RO"), gem_tray="PO")
    after = play(state, "trade gems BG").state
    assert after.gem_hands[0] == ("PO",)
    assert after.gem_tray == ("BG",)


@pytest.mark.parametrize(
    "text", ["trade gems BG BY", "trade gems BG tiles RB-- B-Y-", "trade tiles RB-- B-Y-"]
)
def test_no_more_can_be_traded_than_the_tray_holds(text: str) -> None:
    """Paragraph 16."""
    state = set_up(hands=("BG BY RB-- B-Y-", "RO"), gem_tray="PO", tile_tray="RY--")
    with pytest.raises(IllegalMove) as refused:
        play(state, text)
    assert refused.value.code == "tray-short"


def test_only_pieces_of_ones_own_can_be_traded() -> None:
    """Paragraph 16."""
    state = set_up(hands=("BG RB--", "RO"), gem_tray="PO RG", tile_tray="RY-- RG--")
    for text in ("trade gems RO", "trade gems BG BG", "trade tiles RY--"):
        with pytest.raises(IllegalMove) as refused:
            play(state, text)
        assert refused.value.code == "not-in-hand"


def test_a_trade_of_nothing_is_refused() -> None:
    """Paragraph 16."""
    state = set_up(hands=("BG", "RO"), gem_tray="PO")
    with pytest.raises(IllegalMove) as refused:
        RULES.apply(state, 0, Trade((), ()), Chance(NO_SEED, "ply 1"))
    assert refused.value.code == "empty-trade"


def test_all_trades_are_listed_in_the_order_of_their_texts() -> None:
    """Paragraph 16: every choice of pieces once, equal pieces counting as one."""
    state = set_up(
        "R-B- 0,0 N", hands=("YO YO YP RP-- RP--", "RO"), gem_tray="PO GO", tile_tray="RY-- RY-- RY--"
    )
    assert list_texts(state) == [
        "trade gems YO",
        "trade gems YO YO",
        "trade gems YO YO tiles RP--",
        "trade gems YO YO tiles RP-- RP--",
        "trade gems YO YP",
        "trade gems YO YP tiles RP--",
        "trade gems YO YP tiles RP-- RP--",
        "trade gems YO tiles RP--",
        "trade gems YO tiles RP-- RP--",
        "trade gems YP",
        "trade gems YP tiles RP--",
        "trade gems YP tiles RP-- RP--",
        "trade tiles RP--",
        "trade tiles RP-- RP--",
    ]


def test_legal_moves_stand_in_the_order_of_their_texts() -> None:
    """Plays, pass and trades alike, in a whole match's positions."""
    for number in range(4):
        state = RULES.deal(seats=2, options={}, chance=Chance(NO_SEED, f"deal {number}"))
        texts = list_texts(state)
        assert len(texts) > 100
        assert texts == sorted(texts)


def test_who_can_play_or_trade_cannot_pass() -> None:
    """Paragraph 19."""
    can_play = set_up(hands=("RG-- BG", "RO"))
    can_trade = set_up(hands=("RG-- YO", "RO"), tile_tray="RY--")
    for state, code in ((can_play, "can-play"), (can_trade, "can-trade")):
        with pytest.raises(IllegalMove) as refused:
            play(state, "pass")
        assert refused.value.code == code
        assert "pass" not in list_texts(state)


def test_who_can_do_nothing_passes_and_the_server_plays_it() -> None:
    """Paragraphs 19 and 30: a tray that holds no piece of the kind in hand does not help."""
    state = set_up(hands=("YO", "RO YO", "RO"), tile_tray="RY--")
    assert list_texts(state) == ["pass"]
    forced = RULES.forced_move(state)
    assert forced is not None
    assert forced == (0, RULES.parse(state, 0, "pass"))
    after = play(state, "pass").state
    assert (after.turn, after.idle, after.is_over) == (1, 1, False)
