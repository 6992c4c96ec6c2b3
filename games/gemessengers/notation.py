"""Gemessengers' move texts, written canonically and read leniently; its deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from games.contract import AmbiguousMove, InvalidMove, Seat
from games.gemessengers.components import DECK, PROCLAMATION, ROUNDS, ROW_NAMES, SUIT_NAMES, SUITS
from games.gemessengers.state import ROW_SPOTS, Cards, Move, Play, Proclaim, Spot, State, Workshop, piece_of
from games.gemessengers.workshop import find_rows, find_spot
from games.reading import echo, read_number, read_word, refuse_rest, split_line, upper

_ROWS = {name: row for row, name in ROW_NAMES.items()}
_SUITS = {name: suit for suit, name in SUIT_NAMES.items()}
_PLACING = ("above", "below", "beside", "row")


def write(move: Move) -> str:
    """Write the move in canonical notation."""
    match move:
        case Play(gem, spot):
            return f"play {SUIT_NAMES[gem]} {spot}".rstrip()
        case Proclaim(suit, rows):
            return " ".join(["proclaim", SUIT_NAMES[suit], *(ROW_NAMES[row] for row in rows)])
        case _:
            assert_never(move)


def read_written(text: str) -> Move:
    """The move that `write` wrote.

    >>> write(read_written("proclaim ruby headstone"))
    'proclaim ruby headstone'
    """
    verb, suit, *rest = text.split()
    if verb == "play":
        return Play(_SUITS[suit], Spot(" ".join(rest)))
    return Proclaim(_SUITS[suit], tuple(_ROWS[word] for word in rest))


def parse(state: State, seat: Seat, text: str) -> Move:
    """Read the move that is meant; `apply` checks whether it is legal. Raises InvalidMove or AmbiguousMove."""
    head, *rest = split_line(text)
    match read_word(head, ("play", "proclaim")):
        case "play":
            if not rest:
                raise InvalidMove("no-gem", "Which gem do you play? Write for example: play ruby")
            return _read_play(state, seat, rest[0], rest[1:])
        case _:
            if not rest:
                raise InvalidMove("no-suit", "Whose proclamation? Write for example: proclaim ruby headstone")
            rows = tuple(_ROWS[read_word(word, _ROWS)] for word in rest[1:])
            return Proclaim(_read_suit(rest[0].removeprefix("*")), rows)


def _read_play(state: State, seat: Seat, gem: str, where: list[str]) -> Play:
    suit = _read_suit(gem)
    if not where:
        return Play(suit, Spot.FIRST)
    workshop = state.workshops[seat]
    piece = piece_of(state)
    possible = [*_PLACING] if workshop else []
    if find_rows(workshop, piece):
        possible += _ROWS
    word = read_word(where[0], possible, known=(*_PLACING, *_ROWS))
    match word:
        case "above" | "below":
            refuse_rest(where[1:])
            return Play(suit, Spot(word))
        case "row":
            return Play(suit, _read_row(where[1:]))
        case "beside":
            return Play(suit, _read_neighbour(workshop, where[1:]))
        case _:
            refuse_rest(where[1:])
            spot = find_spot(workshop, piece, _ROWS[word])
            if spot is None:
                raise InvalidMove(
                    "not-there",
                    "It is not settled which of your rows is the {row}, or no row lies next to it. "
                    "Write row 1, above or below instead.",
                    row=word,
                )
            return Play(suit, spot)


def _read_suit(word: str) -> str:
    """Read a suit from its letter or name, or the beginning of its name."""
    return _SUITS[read_word(word, _SUITS)]


def _read_row(words: Sequence[str]) -> Spot:
    if not words:
        raise InvalidMove("no-number", "Which row? Count from the top, for example: row 2")
    refuse_rest(words[1:])
    number = read_number(words[0])
    if not 1 <= number <= len(ROW_SPOTS):
        raise InvalidMove(
            "bad-row", "A workshop has rows 1 to 3, from the top, and no row {row}.", row=number
        )
    return ROW_SPOTS[number - 1]


def _read_neighbour(workshop: Workshop, words: Sequence[str]) -> Spot:
    """Read `beside emerald`, or `beside row 2`."""
    if not words:
        raise InvalidMove("no-neighbour", "Beside which gem? Write for example: beside emerald")
    if "row".startswith(words[0]) and len(words) > 1:
        return _read_row(words[1:])
    refuse_rest(words[1:])
    gem = _read_suit(words[0])
    spots = [spot for spot, gems in zip(ROW_SPOTS, workshop, strict=False) if gem in gems]
    if len(spots) == 1:
        return spots[0]
    if spots:
        raise AmbiguousMove(
            "ambiguous-row",
            "Several of your rows hold a gem of that suit, {gem}. Write {rows} instead of beside.",
            gem=SUIT_NAMES[gem],
            rows=", ".join([spot.value for spot in spots]),
        )
    raise InvalidMove(
        "no-such-neighbour",
        "None of your rows holds a gem of that suit, {gem}. Name one that is there, or write row 1, above "
        "or below.",
        gem=echo(SUIT_NAMES[gem]),
    )


def write_deal(decks: Sequence[Cards]) -> str:
    """Write `1: … ; 2: … ; 3: …`, in the order in which cards are dealt and drawn."""
    return " ; ".join([f"{number}: {' '.join(deck)}" for number, deck in enumerate(decks, start=1)])


def read_deal(text: str) -> tuple[Cards, ...]:
    """Read the decks of the three rounds. Raises InvalidMove (`bad-deal`)."""
    decks = []
    for number, part in enumerate(text.split(";"), start=1):
        title, _, cards = part.partition(":")
        if title.strip() != str(number):
            raise _refuse_deal()
        decks.append(tuple(upper(cards).split()))
    if len(decks) != ROUNDS or any(sorted(deck) != sorted(DECK) for deck in decks):
        raise _refuse_deal()
    return tuple(decks)


def _refuse_deal() -> InvalidMove:
    return InvalidMove(
        "bad-deal",
        "A deal of Gemessengers has three lists, 1: … ; 2: … ; 3: …, each with all {cards} cards: six gems {gem} "
        "and one proclamation {proclamation} for every suit.",
        cards=len(DECK),
        gem=SUITS[0],
        proclamation=PROCLAMATION[SUITS[0]],
    )
