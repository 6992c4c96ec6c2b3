"""Positions for tests: built from chosen cards, or reached by texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from games.chance import NO_SEED, Chance
from games.contract import Event
from games.gemessengers.components import DECK
from games.gemessengers.rules import RULES
from games.gemessengers.state import Cards, State, Workshop

SEATS = {letter: seat for seat, letter in enumerate("ABCDE")}


def make_deck(*first: str) -> Cards:
    """Make a whole deck that begins with these codes, blank-separated; the rest in the order of the components."""
    beginning = " ".join(first).split()
    rest = list(DECK)
    for code in beginning:
        rest.remove(code)
    return (*beginning, *rest)


def deal(*hands: str, decks: Sequence[Cards] = ()) -> State:
    """The first position with these hands of six; later rounds in the order of the components unless given."""
    all_decks = (make_deck(*hands), *decks, DECK, DECK)[:3]
    text = " ; ".join(f"{number}: {' '.join(deck)}" for number, deck in enumerate(all_decks, start=1))
    return RULES.deal_explicit(seats=len(hands), options={}, deal=text, first=0)


def play(state: State, *lines: str) -> State:
    """The position after lines like `A play ruby`."""
    return watch(state, *lines)[0]


def watch(state: State, *lines: str) -> tuple[State, list[Event]]:
    """The position after the lines, and the events of the last one."""
    events: list[Event] = []
    for line in lines:
        letter, text = line.split(" ", 1)
        move = RULES.parse(state, SEATS[letter], text)
        step = RULES.apply(state, SEATS[letter], move, Chance(NO_SEED, "ply 1"))
        state, events = step.state, list(step.events)
    return state, events


def read_workshop(text: str) -> Workshop:
    """Read rows from the top: `E / D R`."""
    return tuple(tuple(row.split()) for row in text.split("/")) if text else ()


def with_workshops(state: State, *texts: str) -> State:
    """The position with these workshops, wherever their gems came from."""
    return replace(state, workshops=tuple(read_workshop(text) for text in texts))
