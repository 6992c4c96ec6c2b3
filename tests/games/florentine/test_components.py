"""The cards, against their construction."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from games.chance import Chance
from games.contract import InvalidMove
from games.florentine.components import CARD_CODES, CARDS, COLOURS
from games.florentine.rules import META, RULES
from games.florentine.square import LOOKS
from tests.games.florentine.positions import DEAL, first_position


def list_squares() -> dict[str, str]:
    """List all different squares with two or three colours, none more than twice; the kind of each by its code."""
    found = {}
    for colours in product("0123", repeat=4):
        turned = ["".join(colours[start:] + colours[:start]) for start in range(4)]
        counts = Counter(colours)
        if len(counts) in (2, 3) and max(counts.values()) == 2:
            adjacent = any(turned[0][side] == turned[0][(side + 1) % 4] for side in range(4))
            kind = ("aa" if adjacent else "aba") + ("b" if len(counts) == 2 else "c")
            found[min(turned).translate(str.maketrans("0123", COLOURS))] = kind
    return found


def test_the_cards_are_all_squares_with_two_or_three_colours() -> None:
    """Paragraphs 2, 3 and 5."""
    squares = list_squares()
    assert set(CARD_CODES) == set(squares)
    assert Counter(squares.values()) == {"aab": 6, "abab": 6, "aac": 24, "abac": 12}


def test_cards_stand_in_the_order_red_blue_green_ochre() -> None:
    """Paragraph 5."""
    assert list(CARD_CODES) == sorted(CARD_CODES, key=lambda code: [COLOURS.index(letter) for letter in code])


def test_a_gem_lies_where_two_equal_triangles_are_neighbours_and_the_others_differ() -> None:
    """Paragraph 4."""
    squares = list_squares()
    for card in CARDS:
        if squares[card.code] == "aac":
            assert card.gem is not None
            assert card.gem * 2 in card.code + card.code[0]
        else:
            assert card.gem is None
    assert Counter(card.gem for card in CARDS if card.gem) == {"r": 6, "b": 6, "g": 6, "o": 6}


def test_only_cards_of_two_opposite_pairs_look_the_same_twice() -> None:
    """Paragraph 6."""
    squares = list_squares()
    for code, looks in LOOKS.items():
        facings = list(looks.values())
        assert facings == (["N", "E"] if squares[code] == "abab" else ["N", "E", "S", "W"])


@pytest.mark.parametrize(("seats", "pool"), [(2, 8), (3, 4), (4, 0)])
def test_hands_pool_and_pile(seats: int, pool: int) -> None:
    """Paragraph 8."""
    state = first_position(seats)
    assert [len(hand) for hand in state.hands] == [4] * seats
    assert len(state.pool) == pool
    assert len(state.pile) == 32
    assert state.hands[1] == ("rrgg", "rrgo", "rrob", "rrog")
    assert state.pile[-1] == CARD_CODES[-1]


def test_the_shuffled_cards_are_dealt_hands_first_then_the_first_seat_is_drawn() -> None:
    """Paragraphs 8 and 9; the order of chance is that of the Deal: line."""
    chance = Chance("5eed", "deal")
    cards = list(CARD_CODES)
    chance.shuffle(cards)
    state = RULES.deal(seats=3, options={}, chance=Chance("5eed", "deal"))
    assert RULES.write_deal(state) == " ".join(cards)
    assert state.hands[0] == tuple(cards[:4])
    assert state.turn == chance.below(3)


@pytest.mark.parametrize(("seats", "colours"), [(2, "rb"), (3, "rbg"), (4, "rbgo")])
def test_colours_go_by_seats_unless_the_creator_chooses(seats: int, colours: str) -> None:
    """Paragraph 7."""
    assert first_position(seats).colours == colours
    option = META.options[0]
    assert option.values_for(seats)[0] == colours
    chosen = RULES.deal_explicit(seats=4, options={"colours": "gobr"}, deal=DEAL, first=1)
    assert (chosen.colours, chosen.turn) == ("gobr", 1)


def test_a_table_has_one_colour_for_each_seat() -> None:
    """Paragraph 7."""
    option = META.options[0]
    assert [len(option.values_for(seats)) for seats in (2, 3, 4)] == [12, 24, 24]
    assert all(len(set(value)) == 2 for value in option.values_for(2))


@pytest.mark.parametrize("deal", ["", "rrbg", DEAL + " rrbg", DEAL.replace("rrbb", "rrbg"), "x" + DEAL])
def test_a_deal_names_every_card_once(deal: str) -> None:
    with pytest.raises(InvalidMove, match="bad-deal"):
        first_position(deal=deal)
