"""Described moves are played where no doubt is left, offered where they may be meant, and passed over otherwise."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

import pytest

from games.gem.state import Phase
from games.jewellers.components import COLOUR_NAMES
from games.match import Match
from games.phrases.described_words import (
    ACT,
    ADVERB,
    ARTICLE,
    LOOSE,
    OTHER,
    POLITE,
    STRONG,
    read_described,
)
from games.phrases.phrasebook import LANGUAGES, read_file
from games.phrases.phrasing import PhraseReader
from games.registry import OWN, game
from tests.games.playing import CASES, deal, list_positions, play_texts

CATEGORIES = {"", ACT, ADVERB, ARTICLE, LOOSE, OTHER, POLITE, STRONG, "+"}
IN_ANY_GAME = {
    word
    for language in LANGUAGES
    for meaning, _ in read_file(resources.files("games"), f"described.{language}", language)
    for word in meaning.split()
}


def reader(slug: str, *moves: str) -> PhraseReader:
    """Of the seat that is asked after these moves of the first match with this game."""
    case = next(case for case in CASES if case.slug == slug)
    state, _ = play_texts(case.rules, deal(case), moves)
    return PhraseReader(game(slug), state, next(iter(case.rules.waiting_on(state))))


@pytest.mark.parametrize(
    "text",
    [
        "I place {} in the centre, red facing north",
        "ich lege {} in die Mitte, Rot nach Norden",
        "je pose {} au centre, rouge vers le nord",
    ],
)
def test_a_card_with_its_place_and_the_look_of_a_colour_is_played(text: str) -> None:
    found = reader("florentine")
    card = min(move.split()[1] for move in found.moves.listed if move.split()[1].count("r") == 1)
    move = found.find(text.format(card))
    assert move
    assert move.startswith(f"place {card} d4 ")


@pytest.mark.parametrize(
    ("slug", "text"),
    [
        ("gem", "All set!"),
        ("gem", "Everything in place, thanks"),
        ("gem", "Tout va, merci"),
        ("gem", "Jetzt kommen alle"),
        ("gem", "De rien"),
        ("gem", "Just the two of us"),
        ("jewellers", "a big thank you"),
        ("jewellers", "nice one, great"),
        ("gembatan", "um die Ecke"),
        ("gembatan", "Straight up"),
        ("florentine", "no red to throw away"),
        ("gemessengers", "Nice play, diamond below"),
    ],
)
def test_what_sounds_like_a_description_is_not_played(slug: str, text: str) -> None:
    assert reader(slug).find(text) is None


def test_what_is_described_without_a_verb_is_offered() -> None:
    found = reader("jewellers")
    assert found.find("something rather large from the bag") is None
    assert found.find("the biggest one there") is None
    assert found.suggest("den größten Brocken") == ["draw large"]


def test_a_reason_known_as_a_whole_may_stand_behind_a_move_and_not_against_it() -> None:
    found = reader("gem")
    assert found.find("I bid 2, wish me luck") == "bid 2"
    assert found.find("Pass, I must have it") is None


@pytest.mark.slow
@pytest.mark.parametrize("slug", OWN)
def test_every_word_of_the_vocabulary_is_said_of_some_move(slug: str) -> None:
    """Else nobody would notice a phrase that means nothing."""
    said: set[str] = set()
    describe = game(slug).describe
    assert describe
    for case in CASES:
        if case.slug == slug:
            for state in list_positions(case)[::5]:
                for seat in case.rules.waiting_on(state):
                    for each in describe(state, seat):
                        for step in each.steps:
                            said |= {
                                word for trait in (*step.traits, *step.anywhere) for word in trait.split()
                            }
    meant = {
        word
        for language in LANGUAGES
        for meanings in read_described(game(slug).package, language).values()
        for meaning in meanings
        for word in meaning.removesuffix(STRONG).split()
    }
    assert {word for word in meant - said - CATEGORIES - IN_ANY_GAME if not word.isdecimal()} == set()


def test_a_number_before_a_jewel_counts_jewels_and_behind_it_is_a_coin() -> None:
    found = reader("gem", "bid 3", "pass")
    card, coins = next(
        move.removeprefix("take ").split(" pay ") for move in found.moves.listed if " pay 3" in move
    )
    assert coins == "3"
    assert found.find(f"3 for {card}") == found.find(f"{card}, 3") == f"take {card} pay 3"
    assert found.find("three diamonds") is None


@pytest.mark.parametrize(
    "text",
    [
        "{} to the right of the centre card, please",
        "{} à droite de d4 svp",
        "{} rechts von d4 anlegen",
        "{} rechts neben d4",
    ],
)
def test_beside_a_cell_is_the_next_cell_and_no_side(text: str) -> None:
    found = reader("florentine", reader("florentine").moves.listed[0])
    beside = [move for move in found.moves.listed if " e4 " in move]
    cards = [move.split()[1] for move in beside]
    card = next(card for card in cards if cards.count(card) == 1)
    assert found.find(text.format(card)) == next(move for move in beside if card in move)


@pytest.mark.parametrize("text", ["{} links auf c4", "{} left on c4", "{} à gauche en c4"])
def test_left_beside_a_cell_says_where_it_lies_and_not_how(text: str) -> None:
    found = reader("florentine", reader("florentine").moves.listed[0])
    moves = [move for move in found.moves.listed if " c4 " in move]
    for card in {move.split()[1] for move in moves}:
        ways = [move for move in moves if card in move]
        assert found.find(text.format(card)) in ([None] if len(ways) > 1 else [None, *ways])


def test_above_a_free_cell_is_not_on_it() -> None:
    found = reader("florentine", reader("florentine").moves.listed[0])
    cards = [move.split()[1] for move in found.moves.listed if " d5 " in move]
    assert found.find(f"I put {cards[0]} above d5") is None


@pytest.mark.parametrize("text", ["both {} gems", "mes deux gemmes {}", "beide Steine {}"])
def test_two_gems_are_never_one(text: str) -> None:
    found = reader("gembatan")
    gems = [gem for move in found.moves.listed if move.startswith("trade gems ") for gem in move.split()[2:3]]
    for gem in {*gems}:
        move = found.find(f"trade {text.format(gem)}") or found.find(f"j'échange {text.format(gem)}")
        assert move in (None, f"trade gems {gem} {gem}")


def test_the_card_in_the_pool_is_not_thrown_there() -> None:
    found = reader("florentine", reader("florentine").moves.listed[0])
    card = next(move.split()[1] for move in found.moves.listed if move.startswith("discard"))
    assert found.find(f"I take {card} in the pool") is None


@pytest.mark.parametrize("text", ["alles bis auf die Zehn", "everything except the 10", "tout sauf le dix"])
def test_all_cards_but_one_are_never_those_up_to_it(text: str) -> None:
    found = reader("jewellers", "draw small")
    assert found.find(text) == "bid 2 3 4 5 6 7 8 9"


@pytest.mark.parametrize(
    "text",
    [
        "bis auf die Zehn",
        "außer der Zehn",
        "except the 10",
        "but the 10",
        "sauf le 10",
        "everything but",
        "not the 10",
        "ohne die Zehn",
    ],
)
def test_what_is_left_out_is_not_bid(text: str) -> None:
    assert reader("jewellers", "draw small").find(text) is None


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("my lowest card", "bid 2"),
        ("meine höchste Karte", "bid 10"),
        ("mes deux plus petites cartes", "bid 2 3"),
        ("all the cards I have left", "bid 2 3 4 5 6 7 8 9 10"),
    ],
)
def test_cards_are_named_by_their_rank(text: str, move: str) -> None:
    assert reader("jewellers", "draw small").find(text) == move


def test_what_is_up_may_be_named_beside_a_bid_and_nothing_else_may() -> None:
    found = reader("jewellers", "draw small")
    colour = COLOUR_NAMES[found.state.gem[0]]
    other = next(name for name in COLOUR_NAMES.values() if name != colour)
    assert found.find(f"My nine for the little {colour}") == "bid 9"
    assert found.find(f"My nine for the little {other}") is None
    assert found.find(f"9, need that {colour}") == "bid 9"
    assert found.find(f"If Ben passes, 9 for the {colour}", names=["Ben"]) is None
    assert found.find(f"9 for the {colour} or 10") is None


def test_a_pass_may_leave_what_is_up_to_somebody() -> None:
    found = reader("jewellers", "draw small", "bid 5")
    colour = COLOUR_NAMES[found.state.gem[0]]
    for text in (
        "Ben can have it",
        "Let Ben have it",
        f"I leave the {colour} to Ben",
        "Soll Ben ihn kriegen",
    ):
        assert found.find(text, names=["Ben"]) == "pass"
    for text in ("Can Ben have it", "Kann Ben ihn haben", "Ben can have it next time", "Let Ben decide"):
        assert found.find(text, names=["Ben"]) is None


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("everything I've got left", "bid 6"),
        ("je vide ma bourse", "bid 6"),
        ("Alles rein, was ich hab", "bid 6"),
        ("half of what I have", "bid 3"),
        ("All in place", None),
    ],
)
def test_a_purse_is_bid_as_a_whole_or_by_half(text: str, move: str | None) -> None:
    assert reader("gem").find(text) == move


def test_a_whole_group_that_goes_back_is_traded_without_a_verb() -> None:
    """The hand has four gems, two corners, a straight and a cross."""
    found = reader("gembatan")
    gems, corners = found.find("trade all gems"), found.find("trade both corners")
    assert gems
    assert corners
    assert [found.find(said) for said in ("all four gems back please", "alle vier Steine zurück")] == [
        gems,
        gems,
    ]
    assert [found.find(said) for said in ("both corners back", "beide Ecken zurück")] == [corners, corners]


@pytest.mark.parametrize(
    "said",
    [
        "I want all gems back",
        "all four gems",
        "back to all gems",
        "all gems back?",
        "Ich will alle Steine zurück",
        "alle Steine zurück zum Start",
    ],
)
def test_a_group_that_somebody_wants_back_is_not_traded(said: str) -> None:
    assert reader("gembatan").find(said) is None


def test_more_pieces_than_a_step_lays_are_offered_for_a_trade() -> None:
    found = reader("gembatan")
    assert found.find("both corners and the RG gem") is None
    assert found.offer("both corners and the RG gem") == [found.find("I trade both corners and the RG gem")]


def test_a_straight_needs_no_stroke_at_its_end() -> None:
    found = reader("gembatan")
    assert (
        found.find("I trade the B-G straight")
        == found.find("I trade the B-G- straight")
        == "trade tiles B-G-"
    )


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("ich überbiete Ben mit 5", "bid 5"),
        ("Ben überbiete ich mit 5", "bid 5"),
        ("I'll top Ben with five", "bid 5"),
        ("je surenchéris sur Ben avec 5", "bid 5"),
        ("1 more than Ben", "bid 3"),
        ("I double Ben's bid", "bid 4"),
        ("je double la mise de Ben", "bid 4"),
        ("all six please", "bid 6"),
        ("I outbid Ben with 5", None),  # that may be past
        ("I raise Ben 4", None),
        ("Ben überbietet Eve mit 5", None),
    ],
)
def test_a_bid_is_named_by_the_one_it_beats(text: str, move: str | None) -> None:
    assert reader("gem", "bid 2").find(text, names=["Ben", "Eve"]) == move


def test_one_of_several_bids_is_doubled_by_nobody() -> None:
    match = Match.new("gem", seats=3, seed="example")
    match.play("bid 1")
    match.play("bid 2")
    found = PhraseReader(match.game, match.state, match.state.turn)
    assert found.find("I double Ben's bid", names=["Ben"]) is None
    assert found.offer("I double Ben's bid", names=["Ben"]) == ["bid 4"]


@pytest.mark.parametrize(
    "text",
    [
        "the diamond, I pay with the sapphire ruby",
        "den Diamanten, Saphir-Rubin zahlt",
        "le diamant, je paie avec la carte saphir-rubis",
        "the diamond, paid for by the ruby sapphire card",
    ],
)
def test_a_card_that_pays_is_named_by_its_jewels(text: str) -> None:
    found = reader("gem", "bid 1", "pass")
    mine, theirs = ("3", "SR"), ("1", "2", "3")
    buyer = found.seat
    active = (mine, theirs) if buyer == 0 else (theirs, mine)
    state = replace(found.state, active=active, inactive=((), ()), open=("D1", "ET"))
    assert PhraseReader(found.game, state, buyer).find(text) == "take D1 pay SR"


@pytest.mark.parametrize(
    "text", ["I never paid for the diamond with the 3", "the diamond costs more than the 3"]
)
def test_what_is_told_of_a_payment_pays_nothing(text: str) -> None:
    assert reader("gem", "bid 1", "pass").find(text) is None


@pytest.mark.parametrize("text", ["{} south", "{} im Süden", "place {} S", "{} au sud"])
def test_a_side_without_its_cell_may_tell_where_the_card_goes(text: str) -> None:
    """Else `bgoo south`, which is meant for the southern arm, went north and was turned."""
    found = reader("florentine", reader("florentine").moves.listed[0])
    moves = [move for move in found.moves.listed if move.startswith("place ")]
    card = next(
        card
        for card in dict.fromkeys(move.split()[1] for move in moves)
        if len({move.split()[2] for move in moves if move.split()[1] == card}) > 1
        and sum(move.startswith(f"place {card} ") and move.endswith(" S") for move in moves) == 1
    )
    assert found.find(text.format(card)) is None


@pytest.mark.parametrize(
    "text", ["both please", "alle beide aktivieren", "les deux svp", "invest both, pay 2 and 3"]
)
def test_both_cards_are_activated_where_a_coin_lies_inactive_beside_them(text: str) -> None:
    """A coin that had been paid was counted as a third card."""
    found = reader("gem", "bid 1", "pass")
    mine, theirs = (("2", "3"), ("1", "D2", "AA")), (("1", "2", "3"), ())
    active, inactive = zip(*((mine, theirs) if found.seat == 0 else (theirs, mine)), strict=True)
    state = replace(
        found.state, phase=Phase.INVEST, turn=found.seat, active=active, inactive=inactive, open=()
    )
    asked = PhraseReader(found.game, state, found.seat)
    assert "invest D2 AA pay 2 3" in asked.moves.listed
    assert asked.find(text) == "invest D2 AA pay 2 3"
