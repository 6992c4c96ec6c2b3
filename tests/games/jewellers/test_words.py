"""Jewellers in words: board, prompt and log."""

from __future__ import annotations

import gettext
from dataclasses import replace

from games.jewellers import words
from games.jewellers.rules import RULES
from tests.games.jewellers.positions import (
    SILVER,
    first_position,
    last_gem,
    play,
    play_with_events,
    with_hands,
    with_sales,
)
from tests.games.shouting import Shouting

TR = gettext.NullTranslations()
NAMES = ("Ana", "Bob", "Cy", "Dee")


def test_the_board_in_words() -> None:
    state = play(first_position(3, options=SILVER), "silver P4", "draw medium", "bid 9", "bid 10", "pass")
    state = replace(with_sales(state, "Es Em", "", "Ll"), gem="Pm")
    assert words.draw(RULES.view(state, 0), TR, NAMES[:3]).splitlines() == [
        "Jewellers, gem 4 of 15: medium pearl, worth 5, with a silver piece.",
        "Auction: Ana (A) offers 9, Bob (B) leads with 10, Cy (C) has passed",
        "Still in the bag:",
        "   small: ruby 4, pearl 4, sapphire 3, lily 5",
        "   medium: ruby 5, sapphire 4, lily 6",
        "   large: ruby 6, emerald 6, pearl 6, sapphire 5",
        "Silver on junction P4 (pearl and sapphire, 4 and 5): small silver piece,",
        "   medium silver piece, large silver piece. The next buyer of one of",
        "   these gets the first: small pearl, medium pearl, medium sapphire,",
        "   large sapphire.",
        "",
        "A  Ana: you, starts this round, to act, 19 points",
        "   in hand: 2 3 4 5 6 7 8 10 (total 45)",
        "   on the table: 9 (total 9)",
        "   gems: small emerald 4, medium emerald 5",
        "   bonus: small emerald + medium emerald: 1",
        "",
        "B  Bob: 9 points",
        "   in hand: 2 3 4 5 6 7 8 9 (total 44)",
        "   on the table: 10 (total 10)",
        "",
        "C  Cy: 16 points",
        "   in hand: 2 3 4 5 6 7 8 9 10 (total 54)",
        "   gems: large lily 7",
    ]


def test_the_board_tells_unsold_gems_and_silver_that_waits_in_vain() -> None:
    state = replace(last_gem(2, "Ll", "", "2"), tower="R3", silver=(1,))
    text = words.draw(RULES.view(state, None), TR, NAMES[:2])
    assert "No gem can bring it" in text
    assert "Unsold: small ruby, small emerald" in text
    assert "   in hand: -" in text
    assert "   bonus: small silver piece: 1" in text
    owner = replace(state, tower=None, silver=(1, 1, 1))
    assert "all the silver: 4" in words.draw(RULES.view(owner, None), TR, NAMES[:2])


def test_the_prompt_of_a_starter() -> None:
    state = with_hands(first_position(2), "2 5 7", "3")
    assert words.prompt(RULES.view(state, 0), TR, NAMES).splitlines()[-3:] == [
        "To play, write:  draw small",
        "To play, write:  draw medium",
        "To play, write:  draw large",
    ]
    assert words.prompt(RULES.view(state, 1), TR, NAMES) == "Waiting for Ana (A) to draw a gem."
    state = play(state, "draw small")
    assert words.prompt(RULES.view(state, 0), TR, NAMES).splitlines() == [
        "You start this round and have to bid: put down one card or more. All",
        "your cards make 14.",
        "To play, write:  bid 2",
        "To play, write:  bid 5",
        "To play, write:  bid 7",
        "To play, write:  bid 2 7",
        "To play, write:  bid 5 7",
        "To play, write:  bid 2 5 7",
        "To play, write:  up to 7",
        "After “bid” come the cards that you add. After “up to” comes the highest",
        "total that you go to, with the cards on the table; no more is added than",
        "is needed.",
    ]
    assert words.prompt(RULES.view(state, 1), TR, NAMES) == "Waiting for Ana (A) to bid."


def test_the_prompt_of_a_bidder_lists_the_preferred_cards_for_each_total() -> None:
    """12 can be made in several ways, 5 + 7 is the one that `up to` takes."""
    state = play(first_position(2), "draw small", "bid 2 9")
    offered = words.prompt(RULES.view(state, 1), TR, NAMES).splitlines()
    assert offered[0].startswith("The leading total is 11. You have 0 on the table")
    assert [line.partition(":  ")[2] for line in offered if line.startswith("To play")] == [
        "pass",
        "bid 5 7",
        "bid 6 7",
        "bid 6 8",
        "bid 7 8",
        "bid 7 9",
        "bid 8 9",
        "up to 21",
    ]


def test_the_prompt_of_one_who_cannot_beat_the_leader() -> None:
    state = play(with_hands(first_position(2), "9 10", "2 3"), "draw small", "bid 9 10")
    assert words.prompt(RULES.view(state, 1), TR, NAMES).splitlines() == [
        "The leading total is 19. All your cards make 5, so you must pass.",
        "To play, write:  pass",
    ]


def test_the_prompt_when_the_starter_has_no_cards() -> None:
    state = play(with_hands(first_position(2), "", "4"), "draw small")
    text = words.prompt(RULES.view(state, 1), TR, NAMES)
    assert text.startswith("Nobody has bid yet.")
    assert "To play, write:  pass" in text
    assert "To play, write:  bid 4" in text


def test_the_prompts_about_silver() -> None:
    placing = first_position(2, options=SILVER)
    text = words.prompt(RULES.view(placing, 0), TR, NAMES)
    assert "silver stay" not in text
    assert "To play, write:  silver R3" in text
    assert words.prompt(RULES.view(placing, 1), TR, NAMES) == "Waiting for Ana (A) to place the silver."
    moving = play(placing, "silver R3", "draw small", "bid 2", "pass")
    text = words.prompt(RULES.view(moving, 0), TR, NAMES)
    assert "leave it on R3" in " ".join(text.split())
    assert "To play, write:  silver stay" in text


def test_the_log_of_a_round() -> None:
    first = first_position(3, options=SILVER)
    _, events = play_with_events(
        first, "silver P4", "draw medium", "bid 2 9", "pass", "bid 5 7", "pass", "silver stay"
    )
    assert [words.describe(event, TR, NAMES) for event in events] == [
        "Ana puts the silver on junction P4 (pearl and sapphire, 4 and 5).",
        "Ana draws gem 1: medium pearl, worth 5.",
        "Ana adds 2 9 and offers 11.",
        "Bob passes.",
        "Cy adds 5 7 and offers 12.",
        "Ana passes.",
        "Cy buys the gem (medium pearl) and discards 5 7.",
        "Cy gets the small silver piece with it, worth 1.",
        "Cy leaves the silver on junction P4.",
    ]


def test_the_log_of_the_end() -> None:
    _, events = play_with_events(last_gem(2, "Ll", "", ""), "draw large")
    assert [words.describe(event, TR, NAMES[:2]) for event in events] == [
        "Ana draws gem 15: large lily, worth 7.",
        "Nobody bids: the gem (large lily) leaves the game unsold.",
        "The match is over: Ana 0, Bob 0.",
    ]


def test_the_winner_is_named_in_the_end() -> None:
    over = play(last_gem(2, "Ll", "2 3", "4"), "draw large", "bid 2", "pass")
    text = words.prompt(RULES.view(over, None), TR, NAMES)
    assert text == "The match is over. Ana wins with 8 points."


def test_winners_who_share_are_named_together() -> None:
    over = play(last_gem(2, "Ll", "", ""), "draw large")
    text = words.prompt(RULES.view(over, None), TR, NAMES)
    assert text == "The match is over. Ana and Bob share the victory with 0 points."


def test_every_sentence_goes_through_the_translator() -> None:
    state = first_position(3)
    assert words.prompt(RULES.view(state, 1), Shouting(), NAMES).startswith("EN ATTENTE DE")
    assert "RUBIS" in words.draw(RULES.view(state, 1), Shouting(), NAMES[:3])
