"""A move is read beside what its player says of it, unless that leaves the move in doubt."""

from __future__ import annotations

import pytest

from games.match import Match
from games.phrases.phrasing import PhraseReader


@pytest.fixture(scope="module")
def bidding() -> PhraseReader:
    match = Match.new("gem", seats=3, seed="example")
    return PhraseReader(match.game, match.state, match.state.turn)


@pytest.fixture(scope="module")
def answering() -> PhraseReader:
    """Somebody may pass or bid 2 or more."""
    match = Match.new("gem", seats=3, seed="example")
    match.play("bid 1")
    return PhraseReader(match.game, match.state, match.state.turn)


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I bid three, that diamond goes well with mine.", "bid 3"),
        ("Three. I like those emeralds.", "bid 3"),
        ("Je mise trois, comme ça on n'en parle plus !", "bid 3"),
        ("Ich biete drei, der Saphir soll nicht an Ben gehen.", "bid 3"),
        ("A small ruby is worth a lot to me, so I bid 3", "bid 3"),
        ("Not worth three points to me, I pass.", None),
        ("Ben has enough of them, so I bid 2.", "bid 2"),
        ("Ben has enough of them so I bid 2.", "bid 2"),
        ("I bid 3, my 2 cats agree.", "bid 3"),
        ("Ich biete drei, das sieht nach was aus.", "bid 3"),
    ],
)
def test_a_remark_of_the_game_stands_beside_a_move(
    bidding: PhraseReader, said: str, move: str | None
) -> None:
    assert bidding.find(said, names=["Ben"]) == move


@pytest.mark.parametrize(
    "said",
    [
        "I bid three, unless Ben wants it.",
        "I bid three, or maybe four.",
        "I bid three. That is what Ben said.",
        "I bid three, I would say.",
        "I bid three. No, that is too much.",
        "Ben: I bid three, that is fine",
        "I bid three, next time at least.",
        "Je mise trois, c'était bête",
        "Ich biete drei. War nur Spaß.",
        "Ich biete drei, sofern Ben aussteigt.",
        "I bid three, as long as Ben is out.",
        "I bid 3, 4 sounds better.",
        "Je mise trois, je sais pas.",
        "Bid three, Ben, she is lovely.",
    ],
)
def test_a_remark_that_leaves_it_in_doubt_plays_nothing(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said, names=["Ben"]) is None


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("the 4 and the 6, ten in total", "bid 4 6"),
        ("J'ajoute le 4 et le 6, ce qui fait dix", "bid 4 6"),
        ("die 4 und die 6 zusammen", "bid 4 6"),
        ("the 4 and the 6, eleven in total", None),
    ],
)
def test_a_sum_that_is_said_beside_cards_must_be_right(said: str, move: str | None) -> None:
    match = Match.new("jewellers", seats=3, seed="example")
    while not match.legal()[0].startswith("bid"):
        match.play(match.legal()[0])
    assert PhraseReader(match.game, match.state, match.state.turn).find(said) == move


def test_a_bid_is_read_by_its_sum_where_one_set_of_cards_has_it() -> None:
    match = Match.new("jewellers", seats=3, seed="example")
    while not match.legal()[0].startswith("bid"):
        match.play(match.legal()[0])
    by_sum: dict[int, list[str]] = {}
    for move in match.legal():
        if move.startswith("bid"):
            by_sum.setdefault(sum(map(int, move.split()[1:])), []).append(move)
    reader = PhraseReader(match.game, match.state, match.state.turn)
    only = next(total for total, moves in by_sum.items() if len(moves) == 1)
    several = next(total for total, moves in by_sum.items() if len(moves) > 1)
    assert reader.find(f"make it {only} in total") == by_sum[only][0]
    assert reader.find(f"make it {several} in total") is None


@pytest.mark.parametrize(
    "said",
    [
        "I bid three, is that okay",
        "I bid 3. Can I do that",
        "I bid 3, that's allowed, isn't it",
        "bid 3, right",
        "Je mise trois, n'est-ce pas",
        "Je mise 3, est-ce que ça va",
        "Ich biete drei, geht das",
        "Ich biete 3, oder nicht",
    ],
)
def test_beside_a_question_without_its_mark_nothing_is_played(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said) is None
    assert bidding.offer(said) == ["bid 3"]


@pytest.mark.parametrize("said", ["Right, I bid 3", "Can I bid 3 please", "I bid 3 thanks", "3 danke"])
def test_what_only_begins_like_a_question_leaves_no_doubt(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said) == "bid 3"


@pytest.mark.parametrize(
    "said",
    [
        "the bid of three, that would be silly",
        "the bid of three, this might ruin me",
        "une mise de trois, ce serait idiot",
        "ein Gebot von drei, das könnte klappen",
    ],
)
def test_who_muses_what_a_move_would_do_does_not_make_it(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said.partition(",")[0]) == "bid 3"
    assert bidding.find(said) is None


def test_who_says_that_they_make_a_move_may_muse_on_it(bidding: PhraseReader) -> None:
    assert bidding.find("Je mise trois, ce serait dommage de le laisser à Ben", names=["Ben"]) == "bid 3"


@pytest.mark.parametrize(
    "said",
    ["The opening bid is 3", "the bid is 3", "L'enchère est de 3", "la mise est de 3", "Das Gebot ist 3"],
)
def test_what_tells_of_the_bid_is_offered_and_not_played(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said) is None
    assert bidding.offer(said) == ["bid 3"]


@pytest.mark.parametrize(
    ("said", "is_declined"),
    [
        ("I fold, too pricey for my taste", True),
        ("ich passe, zu teuer für meinen Geschmack", True),
        ("I fold, too late to change that", False),
    ],
)
def test_beside_a_pass_the_form_of_a_refusal_may_go_on(said: str, is_declined: bool) -> None:
    match = Match.new("gem", seats=3, seed="example")
    match.play("bid 2")
    found = PhraseReader(match.game, match.state, match.state.turn).find(said)
    assert found == ("pass" if is_declined else None)


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I pass. Off to bed now.", "pass"),
        ("I bid 3. The bus is here!", "bid 3"),
        ("3 please, sent from the bus", "bid 3"),
        ("I'm out. Walking the dog.", None),
        ("I'm out, need milk", None),
        ("Bin raus. Der Hund muss Gassi.", None),
    ],
)
def test_an_errand_leaves_only_what_may_be_going_out_in_doubt(
    answering: PhraseReader, said: str, move: str | None
) -> None:
    assert answering.find(said, ["Ben"]) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I bid 3. How was your new flat, Ben?", "bid 3"),
        ("Wie geht's euch? Ich biete 3.", "bid 3"),
        ("Je mise 3. Et toi, comment vas-tu ?", "bid 3"),
        ("I bid 3. How is the bidding?", None),
        ("How about 3?", None),
        ("How are you? Should I bid 3", None),
    ],
)
def test_who_asks_how_somebody_is_asks_nothing_of_the_move(
    answering: PhraseReader, said: str, move: str | None
) -> None:
    assert answering.find(said, ["Ben"]) == move


@pytest.mark.parametrize(
    ("said", "move"), [("je mise pas", "pass"), ("j'enchéris pas", "pass"), ("je mise pas 3", None)]
)
def test_who_speaks_french_may_leave_ne_out(answering: PhraseReader, said: str, move: str | None) -> None:
    assert answering.find(said, ["Ben"]) == move


@pytest.mark.parametrize("said", ["3 thanks to you", "thanks 3", "3 thanks for Ben and Eve"])
def test_thanks_that_are_counted_are_no_number(bidding: PhraseReader, said: str) -> None:
    assert bidding.find(said) is None


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("erhöhe ich auf 3, ist alles weg", None),
        ("Biete ich 3, bin ich pleite.", None),
        ("setze ich 3, dann hat Eve nichts mehr", None),
        ("Biete ich 3, danke!", "bid 3"),
        ("Jetzt setze ich 3, ist ja egal", "bid 3"),
    ],
)
def test_a_german_condition_needs_no_wenn(answering: PhraseReader, said: str, move: str | None) -> None:
    assert answering.find(said) == move


@pytest.mark.parametrize(
    ("said", "move"),
    [
        ("I bid 3 and have a nice evening", "bid 3"),
        ("3 und schönen Abend noch", "bid 3"),
        ("Je mise 3 et bonne nuit", "bid 3"),
        ("That was close 😅 I bid 3", "bid 3"),
        ("Hello from the train :-) I pass", "pass"),
        ("2 and 3", None),
        ("3 and the ones above", None),
        ("maybe tomorrow 😴 I bid 3", None),
    ],
)
def test_a_wish_may_be_joined_to_a_move_and_a_smiley_ends_a_sentence(
    answering: PhraseReader, said: str, move: str | None
) -> None:
    assert answering.find(said) == move


@pytest.mark.parametrize(
    "said", ["weiter", "Weiter bitte!", "I'll pass this one up", "too steep, Ben can keep it"]
)
def test_a_pass_is_said_in_other_words(answering: PhraseReader, said: str) -> None:
    assert answering.find(said, ["Ben"]) == "pass"


@pytest.mark.parametrize("said", ["weiter so", "Wie geht es weiter", "mach weiter"])
def test_who_speaks_of_going_on_does_not_pass(answering: PhraseReader, said: str) -> None:
    assert answering.find(said) is None
