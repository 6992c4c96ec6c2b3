"""Gembatan in words: board, prompt and log."""

from __future__ import annotations

import gettext
import re

from games.contract import Step
from games.gembatan import words
from games.gembatan.rules import RULES
from games.gembatan.state import State
from games.match import Match
from tests.games.gembatan.positions import play, set_up

TR = gettext.NullTranslations()
NAMES = ("Ana", "Bob", "Cy")
FIVE_TILES = "RB-- 0,0 N; RG-- 1,0 S; GO-- 0,1 E; BY-- 1,1 W; R-G- 1,-1 N"


def tell(step: Step[State]) -> list[str]:
    names = NAMES[: len(step.state.points)]
    return [words.describe(event, TR, names) for event in step.events]


def test_the_board_in_words() -> None:
    """The map is for the eyes; the lists say the same."""
    state = set_up(FIVE_TILES, "BG 0,0 E", hands=("BG RO GRG-", "RB RB"), points=(3, 0), gem_tray="YO PO")
    assert words.draw(RULES.view(state, 1), TR, NAMES).splitlines() == [
        "Gembatan, Ana (A) to play. Left in the trays: gems 2, tiles 0.",
        "Letters: R red, B blue, G green, Y yellow, P purple, O orange. A tile's",
        "letters are its sides clockwise, - is a flat one.",
        "Map: [] a tile, RB a gem, rb an empty socket for it, r. a red side next",
        "to an empty cell. A letter twice, rr, is a socket that no gem fits. A",
        "cell is x,y; x grows east, y grows north.",
        "",
        "          y.",
        "1     []bg[]",
        "      ro",
        "0     []BG[]",
        "          rr",
        "-1        []",
        "          g.",
        "y x   0   1",
        "",
        "Gems lying:",
        "   BG blue-green: 0,0 E",
        "Empty sockets:",
        "   0,0 N: RO red-orange",
        "   0,1 E: BG blue-green",
        "   1,-1 N: red twice, no gem fits",
        "Cells for a tile, and what borders them:",
        "   1,-2: north green",
        "   1,2: south yellow",
        "",
        "A  Ana: to act, 3 points scored, 1 if it ended now (each gem in hand",
        "   costs 1)",
        "   gems: BG blue-green, RO red-orange",
        "   tiles: GRG- tee",
        "",
        "B  Bob: you, 0 points scored, −2 if it ended now (each gem in hand costs",
        "   1)",
        "   gems: RB red-blue, RB red-blue",
        "   tiles: -",
    ]


def test_a_wide_lay_out_is_drawn_in_several_maps() -> None:
    state = set_up("; ".join(f"R-B- {x},0 E" for x in range(-3, 30)), hands=("RB", "RB"), gem_tray="YO")
    lines = words.draw(RULES.view(state, 0), TR, NAMES).splitlines()
    columns = [column for line in lines if line.startswith("y x") for column in line.split()[2:]]
    assert columns == [str(x) for x in range(-3, 30)]
    assert [line for line in lines if line.startswith("0 ")] == [
        "0   b." + "[]rb" * 16,
        "0   rb" + "[]rb" * 16,
        "0   rb[]r.",
    ]


def test_the_prompt_offers_the_steps_worth_most_and_a_trade() -> None:
    state = set_up(FIVE_TILES, "BG 0,0 E", hands=("BG RO GRG-", "RB"), gem_tray="YO PO")
    assert words.prompt(RULES.view(state, 0), TR, NAMES).splitlines()[-5:] == [
        "To play, write:  gem BG 0,1 E",
        "To play, write:  gem RO 0,0 N",
        "To play, write:  trade gems BG",
        "After a tile's cell comes the side that its first letter faces; the last",
        "letter of a step is the gem's side.",
    ]
    assert words.prompt(RULES.view(state, 1), TR, NAMES) == "Waiting for Ana (A) to play or trade."
    assert words.prompt(RULES.view(state, None), TR, NAMES) == "Waiting for Ana (A) to play or trade."


def test_the_listed_steps_lay_each_tile_that_fits() -> None:
    """Five ways to turn one tile are less help than one of each."""
    match = Match.new("gembatan", players=["Ana", "Bob"], seed="cd" * 32)
    for _ in range(7):
        match.play_bot("easy")
    seat = match.waiting[0]
    fit = {text.split()[1] for text in match.legal(seat, 5000) if text.startswith("play")}
    listed = re.findall(r":  play (\S+)", words.prompt(RULES.view(match.state, seat), TR, match.players))
    assert len(fit) == 4
    assert set(listed) == fit


def test_the_prompt_of_a_seat_that_cannot_play() -> None:
    trading = set_up(hands=("YO", "RB"), gem_tray="RB")
    assert words.prompt(RULES.view(trading, 0), TR, NAMES).splitlines() == [
        "It is your turn, but you cannot play. Trade gems or tiles.",
        "To play, write:  trade gems YO",
    ]
    passing = set_up(hands=("YO", "RB"))
    assert words.prompt(RULES.view(passing, 0), TR, NAMES).splitlines() == [
        "It is your turn, but you can neither play nor trade: pass.",
        "To play, write:  pass",
    ]


def test_the_log_of_a_play_names_steps_lines_and_bonus() -> None:
    lines = set_up("RB-- 0,0 N; R-G- 1,0 W", "RG 0,0 S; RY 1,0 N; BG 0,0 N; BP 1,0 S", hands=("RB RG", "RG"))
    assert tell(play(lines, "gem RB 0,0 E"))[0] == (
        "Ana scores 7 points: gem RB red-blue on the east side of 0,0. A line of 3 in red. A line of 3 in blue."
    )
    tile = set_up(hands=("RG-- BG", "RG RG"), gem_tray="YO", tile_tray="PO--")
    assert tell(play(tile, "play RG-- 1,0 S gem BG W")) == [
        "Ana scores 1 point: tile RG-- at 1,0 facing south, gem BG blue-green on its west side.",
        "Ana draws gem YO, tile PO--.",
    ]
    rows = "; ".join(f"RBRB 0,{y} N; RBRB 1,{y} E" for y in range(4))
    four = set_up(rows, hands=("RB RB RB RB", "RG"), gem_tray="YO")
    assert tell(play(four, " + ".join(f"gem RB 0,{y} E" for y in range(4))))[0].endswith("Gembatan: 4 more.")


def test_the_log_of_a_trade_a_pass_and_the_end() -> None:
    trade = set_up(hands=("YO RP--", "YO"), tile_tray="RY--", idle=1)
    assert tell(play(trade, "trade tiles RP--")) == [
        "Ana trades tile RP--.",
        "Ana draws tile RY--.",
        "The gem tray is empty and nobody has played for a whole round. The match is over: Ana −1, Bob −1.",
    ]
    last = set_up(hands=("RG-- BG", "RB"), points=(2, 9))
    step = play(last, "play RG-- 1,0 S gem BG W")
    assert tell(step)[-1] == (
        "The gem tray is empty and somebody has no gem left. The match is over: Ana 3, Bob 8."
    )
    view = RULES.view(step.state, 0)
    assert words.prompt(view, TR, NAMES) == "The match is over. Bob wins with 8 points."
    passed = play(set_up(hands=("YO", "YO", "YO")), "pass")
    assert tell(passed) == ["Ana passes."]
    rounds = play(set_up(hands=("YO", "YO"), gem_tray="RB", idle=5), "trade gems YO")
    assert tell(rounds)[-1] == "Nobody has played for three whole rounds. The match is over: Ana −1, Bob −1."
    shared = words.prompt(RULES.view(rounds.state, 1), TR, NAMES)
    assert shared == "The match is over. Ana and Bob share the victory with −1 points."
