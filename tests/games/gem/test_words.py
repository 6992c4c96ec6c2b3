"""GEM in words: board, prompt and log."""

from __future__ import annotations

import gettext

from games.gem import words
from games.gem.rules import RULES
from games.gem.state import Phase
from tests.games.gem.positions import ALL_COINS, first_position, on_day, play, play_with_events
from tests.games.shouting import Shouting

TR = gettext.NullTranslations()
NAMES = ("Ana", "Bob", "Cy", "Dee")


def test_the_board_in_words() -> None:
    state = play(first_position(4), "bid 0", "bid 2", "pass", "bid 3", "take SR pay 1 2")
    assert words.draw(RULES.view(state, 3), TR, NAMES).splitlines() == [
        "GEM, day 1 of 6, auction 2.",
        "Open cards:",
        "   RE  ruby emerald, value 1, cost 1",
        "   EA  emerald amethyst, value 1, cost 1",
        "   AT  amethyst topaz, value 1, cost 1",
        "Cards still to come: day 2: 3, day 3: 3, day 4: 3, day 5: 3, day 6: 2",
        "Auction: Ana (A) is still to call, Bob (B) is still to call, Cy (C) is",
        "   still to call, Dee (D) is still to call",
        "",
        "A  Ana: Oya, to act, 0 points",
        "   active (worth 6): coin 1, coin 2, coin 3",
        "",
        "B  Bob: 0 points",
        "   active (worth 6): coin 1, coin 2, coin 3",
        "",
        "C  Cy: 0 points",
        "   active (worth 6): coin 1, coin 2, coin 3",
        "",
        "D  Dee: you, 0 points",
        "   active (worth 3): coin 3",
        "   inactive (pay and score nothing): coin 1, coin 2, SR (sapphire ruby)",
        "      cost 1",
    ]


def test_the_prompt_of_a_bidder() -> None:
    state = play(first_position(4), "bid 4")
    assert words.prompt(RULES.view(state, 1), TR, NAMES).splitlines() == [
        "The leading bid is 4. Bid more, once, or pass; your pieces are worth 6.",
        "To play, write:  pass",
        "To play, write:  bid 5",
        "To play, write:  bid 6",
    ]
    assert words.prompt(RULES.view(state, 2), TR, NAMES) == "Waiting for Bob (B) to bid."


def test_the_prompt_of_an_investor_offers_single_cards_and_all_of_them() -> None:
    state = on_day(2, "", active=(ALL_COINS, "1"), inactive=("SR ET", ""), phase=Phase.INVEST, buyer=0)
    offered = words.prompt(RULES.view(state, 0), TR, NAMES).splitlines()[-5:]
    assert offered == [
        "To play, write:  keep",
        "To play, write:  invest SR pay 1",
        "To play, write:  invest ET pay 2",
        "To play, write:  invest SR ET pay 3",
        "Words: keep = activate nothing, invest = activate cards.",
    ]


def test_the_log_of_an_auction() -> None:
    _, events = play_with_events(first_position(3), "bid 0", "pass", "bid 3", "take EA pay 3")
    assert [words.describe(event, TR, NAMES) for event in events] == [
        "Ana bids 0.",
        "Bob passes.",
        "Cy bids 3.",
        "Cy wins the auction at 3.",
        "Cy takes EA (emerald amethyst) and pays 3; it is inactive.",
        "Day 1, auction 2: Ana is the Oya.",
    ]


def test_the_winners_are_named_in_the_end() -> None:
    shared = on_day(6, "", active=("SS", "RR", "D1"), phase=Phase.INVEST, buyer=0)
    over = play(shared, "keep", "keep", "keep")
    text = words.prompt(RULES.view(over, None), TR, NAMES)
    assert text == "The match is over. Ana and Bob share the victory with 5 points."


def test_every_sentence_goes_through_the_translator() -> None:
    state = first_position(3)
    assert words.prompt(RULES.view(state, 1), Shouting(), NAMES).startswith("EN ATTENTE DE")
    assert "RUBIS" in words.draw(RULES.view(state, 1), Shouting(), NAMES)
