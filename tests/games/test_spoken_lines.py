"""Lines as people dictate them: run together, with second thoughts, by what others have bid, told with small talk."""

from __future__ import annotations

import pytest

from games.match import Match
from games.phrases.phrasing import PhraseReader

NAMES = ("Cy", "Eve")


def reader(game: str, *moves: str, players: int = 3) -> PhraseReader:
    """Read what the player writes who is to act after these moves."""
    match = Match.new(game, seats=players, seed="spoken")
    for move in moves:
        while match.play_forced():
            pass
        match.play(move)
    while match.play_forced():
        pass
    return PhraseReader(match.game, match.state, match.turn or 0)


@pytest.fixture(scope="module")
def opening() -> PhraseReader:
    """Nobody has bid in GEM."""
    return reader("gem")


@pytest.fixture(scope="module")
def answering() -> PhraseReader:
    """Somebody has bid 2 in GEM."""
    return reader("gem", "bid 2")


@pytest.fixture(scope="module")
def outbidding() -> PhraseReader:
    """Somebody has laid a 5 in Jewellers."""
    return reader("jewellers", "draw small", "bid 5")


@pytest.fixture(scope="module")
def card() -> PhraseReader:
    """The first card of Florentine Domino is laid."""
    return reader("florentine")


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("three please sorry for the delay", "bid 3"),
        ("trois svp désolée pour le retard", "bid 3"),
        ("3 bitte danke für die geduld", "bid 3"),
        ("pass the salt please", None),
        ("Passe le bonjour à Dora", None),
        ("ich biete 3 lieber morgen", None),
        ("I bid 3 please last time", None),
        ("I bid 3 please tomorrow", None),
        ("3, please tomorrow", None),
        ("3, tomorrow please", None),
        ("I bid 3, please not yet", None),
        ("3, please don't", None),
        ("3, bitte nicht", None),
        ("3, svp pas encore", None),
        ("3, please confirm first", None),
        ("3, please be quick", "bid 3"),
        ("3 please hang on a sec", None),
        ("3, hang on a sec", None),
        ("3 bitte noch warten", None),
        ("3 bitte danke fürs warten", "bid 3"),
        ("3, un instant", None),
        ("call me at 3", None),
        ("call it 3", "bid 3"),
        ("sorry I bid 3", None),
        ("sorry, I bid 3", "bid 3"),
        ("Let's say I bid 3", None),
        ("let's say 3", "bid 3"),
        ("2 and up", None),
        ("2 and rising", None),
        ("3 please if Eve agrees", None),
        ("3 please or 4", None),
        ("3 please wait", None),
    ],
)
def test_a_line_without_marks_is_parted_where_it_goes_on_to_something_else(
    opening: PhraseReader, said: str, move: str | None
) -> None:
    assert opening.find(said, NAMES) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("3 I think", "bid 3"),
        ("3 I think. No, make that 4", "bid 4"),
        ("3 glaub ich. Nein, mach 4 draus", "bid 4"),
        ("trois je crois. Non, mets plutôt quatre", "bid 4"),
        ("Eve bids 3 I think", None),
    ],
)
def test_a_hedge_behind_a_move_takes_nothing_from_it(
    opening: PhraseReader, said: str, move: str | None
) -> None:
    assert opening.find(said, NAMES) == move


def test_a_line_that_begins_like_a_question_plays_nothing(card: PhraseReader) -> None:
    move = card.moves.listed[0]
    said = (move, f"is {move} ok", f"is {move}", f"does {move} work")
    assert [card.find(line, NAMES) for line in said] == [move, None, None, None]


def test_a_place_put_right_keeps_the_card_before_it(card: PhraseReader) -> None:
    codes = {move.split()[1] for move in card.moves.listed}
    code = min(code for code in codes if len({*code}) > 2)
    assert card.find(f"{code} on d4 facing north, no, east", NAMES) == f"place {code} d4 E"


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I'll go two more than Cy", "bid 4"),
        ("I'll outbid him by 2", "bid 4"),
        ("ich überbiete Cy um zwei", "bid 4"),
        ("deux de plus que Cy", "bid 4"),
        ("two more than Cy?", None),
        ("I outbid him by 2", None),
        ("Eve bid two more than Cy", None),
        ("I have two more than Cy", None),
    ],
)
def test_a_bid_is_counted_from_that_of_another(answering: PhraseReader, said: str, move: str | None) -> None:
    assert answering.find(said, NAMES) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I'll top Cy's 5 with 2 and 4", "bid 2 4"),
        ("ich steche Cys 5 mit 2 und 4", "bid 2 4"),
        ("je bats le 5 de Cy avec 2 et 4", "bid 2 4"),
        ("2 and 4 against Cy's 5", "bid 2 4"),
        ("outbid her by three with a single card", "bid 8"),
        ("14 exactly, using 10 and 4", "bid 4 10"),
        ("2 plus 4 font 6", "bid 2 4"),
        ("5 and 1, one more than Cy", None),
        ("I'd top Cy's 5 with 8", None),
        ("Eve tops Cy's 5 with 8", None),
        ("I'll match Cy's 5", None),
        ("beat Cy's 5", None),
        ("the smaller one", None),
        ("the smaller of my two", None),
    ],
)
def test_cards_are_named_beside_what_they_beat(outbidding: PhraseReader, said: str, move: str | None) -> None:
    assert outbidding.find(said, NAMES) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("Cy has 15, so 0", "bid 0"),
        ("Cy hat 15, dagegen komm ich nicht an, also 0", "bid 0"),
        ("Cy hat so 4", None),
        ("Cy bids 4, so 4", None),
        ("My dog is in hospital, so 4", None),
    ],
)
def test_a_number_concludes_what_is_said_of_the_game(
    opening: PhraseReader, said: str, move: str | None
) -> None:
    assert opening.find(said, NAMES) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("Hi Cy, saw your mail about Thursday, works for me. Game: 4. See you!", "bid 4"),
        ("Hallo Cy, Donnerstag passt. Zum Spiel: 4. Bis dann!", "bid 4"),
        ("Salut Cy, jeudi ça me va. Pour la partie : 4. À plus !", "bid 4"),
        ("If you can't make it, call me. Game: 4", None),
        ("See you Friday. Back to the game: you bid 3", None),
        ("Call me. Phone: 4", None),
    ],
)
def test_the_move_stands_behind_what_turns_from_talk_to_the_game(
    opening: PhraseReader, said: str, move: str | None
) -> None:
    assert opening.find(said, NAMES) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("For 3 points? Without me. Pass.", "pass"),
        ("Für 3 Punkte? Ohne mich. Passe.", "pass"),
        ("For 3? I bid 3", None),
        ("For 3 points? Or 4?", None),
    ],
)
def test_who_is_astonished_at_a_price_may_pass_and_does_nothing_else(
    answering: PhraseReader, said: str, move: str | None
) -> None:
    assert answering.find(said, NAMES) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("the smaller of my two", "bid 9"),
        ("die höhere", "bid 10"),
        ("la plus petite de mes deux cartes", "bid 9"),
        ("the smaller of my two problems", None),
        ("the bigger the better", None),
    ],
)
def test_of_two_cards_one_is_the_smaller(said: str, move: str | None) -> None:
    spent = ("draw small", "bid 2 3 4 5 6 7 8", "pass")
    two_left = reader("jewellers", *spent, "draw small", "bid 2", players=2)
    assert two_left.find(said, NAMES) == move


@pytest.fixture(scope="module")
def picking() -> PhraseReader:
    """A ruby and its proclamation lie in the hand, and the workshop is empty."""
    deals = (Match.new("gemessengers", seats=2, seed=str(number)) for number in range(200))
    match = next(each for each in deals if {"play ruby", "proclaim ruby base"} <= {*each.legal(0)})
    return PhraseReader(match.game, match.state, 0)


@pytest.mark.parametrize(("said", "move"), [("ruby", None), ("Rubin", None), ("ruby please", "play ruby")])
def test_a_gem_whose_proclamation_lies_beside_it_needs_more_than_its_name(
    picking: PhraseReader, said: str, move: str | None
) -> None:
    assert picking.find(said, NAMES) == move


@pytest.mark.parametrize("said", ["ruby on top", "rubis en haut", "ruby at the top of everything"])
def test_where_a_gem_goes_is_never_passed_over(picking: PhraseReader, said: str) -> None:
    assert picking.find(said, NAMES) != "play ruby"


def test_gems_that_are_called_tiles_are_not_traded() -> None:
    """*PO and RP the tiles* are no gems, though such gems lie in the hand."""
    trades = reader("gembatan")
    one, other = sorted({move.split()[2] for move in trades.moves.listed if move.startswith("trade gems")})[
        :2
    ]
    assert trades.find(f"I give back {one} and {other}") == f"trade gems {one} {other}"
    assert trades.find(f"I give back {one} and {other} the tiles") is None
