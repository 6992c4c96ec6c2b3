"""Remarks beside a move that undo it: it is somebody else's, of another match, put off, a joke, or sent by mistake."""

from __future__ import annotations

import pytest

from games.jewellers.components import COLOUR_NAMES
from games.match import Match
from games.phrases.phrasing import PhraseReader

NAMES = ("Cy", "Eve")
MOVES = {"en": ("I bid 5", "I pass"), "fr": ("je mise 5", "je passe"), "de": ("ich biete 5", "ich passe")}
UNDOING = {
    "en": """for the third auction|that's for Cy's match|in Cy's match I mean|this is for the match with Cy|in M471
    on day 5|for Eve|on Eve's behalf|according to Eve|quoted from Eve|Eve's words|Eve decides|meant for Eve
    tomorrow|one day|in an hour|give me ten minutes|after dinner|by Friday|at some point|more to follow|on my turn
    subject to my wife's approval|to be discussed|let's discuss|flip a coin|somebody else|I need help|see above
    I doubt it|kind of|fat chance|my left foot|April fools|for a laugh|every time|on paper|if need be|more or less
    and lost|already played|too late|sent in error|please delete|they say|my son says|just a suggestion|and so on
    hold that|revert that""",
    "fr": """pour la troisième enchère|c'est pour la partie de Cy|dans la partie de Cy|dans M471
    pour Eve|de la part d'Eve|dixit Eve|les mots d'Eve
    demain|un de ces jours|dans une heure|laisse-moi dix minutes|après le week-end|la suite arrive
    à discuter|il faut qu'on en parle|tu choisis|pile ou face|aide-moi|voir ci-dessus|laisse-moi réfléchir
    j'en doute|pour rire|ben voyons|à chaque fois|sur le papier|au besoin|plus ou moins
    et j'ai perdu|déjà envoyé|trop tard|mauvais numéro|à supprimer|mon fils dit|une suggestion""",
    "de": """für die dritte Versteigerung|das ist für Cys Partie|in Cys Partie|in M471|an Tag 5
    für Eve|im Namen von Eve|laut Eve|Eves Worte|Eve entscheidet|für Eve gedacht
    morgen|eines Tages|in einer Stunde|gib mir zehn Minuten|nach dem Essen|bis Freitag|Rest folgt
    vorbehaltlich Eves Zustimmung|zur Diskussion|müssen wir besprechen|du entscheidest|Münze werfen|siehe oben
    glaub ich kaum|wohl kaum|eher nicht|haha reingefallen|jedes Mal|auf dem Papier|zur Not|mehr oder weniger
    schon gespielt|zu spät|falsche Nummer|bitte löschen|heißt es|mein Sohn meint|nur ein Vorschlag""",
}
LEAVING = {
    "en": "in this auction I am strong|on the table they go|Eve's move|your turn|that was quick|with your permission",
    "fr": "c'est le tour d'Eve|avec votre permission|comme convenu|à toi|bonne soirée",
    "de": "Eve ist dran|mit deiner Erlaubnis|bitte bestätigen|wie besprochen|du bist dran",
}


def said(texts: str) -> list[str]:
    return [each.strip() for line in texts.splitlines() for each in line.split("|")]


@pytest.fixture(scope="module")
def bidding() -> PhraseReader:
    match = Match.new("gem", seats=3, seed="example")
    match.play("bid 1")
    return PhraseReader(match.game, match.state, match.turn or 0)


@pytest.mark.parametrize("language", MOVES)
def test_a_move_that_is_undone_is_not_played(bidding: PhraseReader, language: str) -> None:
    lines = [f"{move}, {each}" for move in MOVES[language] for each in said(UNDOING[language])]
    assert {line: found for line in lines if (found := bidding.find(line, NAMES))} == {}


@pytest.mark.parametrize("language", MOVES)
def test_what_undoes_nothing_leaves_the_move(bidding: PhraseReader, language: str) -> None:
    lines = [f"{move}, {each}" for move in MOVES[language] for each in said(LEAVING[language])]
    assert [line for line in lines if not bidding.find(line, NAMES)] == []


@pytest.mark.parametrize(
    "text", ["I quit", "Hi Eve, I give up!", "j'arrête", "J'abandonne", "ich höre auf", "ich geb auf"]
)
def test_words_that_may_end_the_match_offer_a_pass(bidding: PhraseReader, text: str) -> None:
    assert bidding.find(text, NAMES) is None
    assert [*bidding.suggest(text, NAMES)] == ["pass"]


@pytest.mark.parametrize(
    "text", ["I'm out", "ich bin draußen", "je sors", "ich steige aus", "j'abandonne l'enchère"]
)
def test_words_that_leave_an_auction_pass(bidding: PhraseReader, text: str) -> None:
    assert bidding.find(text, NAMES) == "pass"


@pytest.mark.parametrize(
    "text", ["5 but not the red one", "ich biete 5 aber nicht die rote", "je mise 5 mais pas la rouge"]
)
def test_a_bid_that_names_what_it_is_not_for_is_offered(bidding: PhraseReader, text: str) -> None:
    assert bidding.find(text, NAMES) is None
    assert [*bidding.suggest_from_parts(text, NAMES)] == ["bid 5"]


@pytest.mark.parametrize(("text", "total"), [("One more than Eve", 11), ("zwei mehr als Eve", 12)])
def test_so_many_more_than_somebody_are_offered_in_several_ways(text: str, total: int) -> None:
    match = Match.new("jewellers", seats=3, seed="spoken")
    for move in ("draw small", "bid 10"):
        match.play(move)
    reader = PhraseReader(match.game, match.state, match.turn or 0)
    assert reader.find(text, NAMES) is None
    assert [sum(map(int, move.split()[1:])) for move in reader.suggest(text, NAMES)] == [total] * 3


def test_the_last_gem_of_a_size_is_drawn_by_its_colour_where_no_other_size_has_it() -> None:
    match = Match.new("jewellers", seats=2, seed="3")
    while not (match.state.phase == "draw" and len(match.state.bag[1]) == 1 and match.state.bag[0]):
        if not match.play_forced():
            match.play_bot("easy")
    (sure,), others = match.state.bag[1], {*match.state.bag[0], *match.state.bag[2]}
    reader = PhraseReader(match.game, match.state, match.turn or 0)
    assert reader.find(f"draw the {COLOUR_NAMES[sure]}") == (None if sure in others else "draw medium")
    assert {reader.find(f"draw the {COLOUR_NAMES[other]}") for other in others} <= {None}
