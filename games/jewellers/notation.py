"""Jewellers' move texts and deals, written canonically and read leniently."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import assert_never

from games.contract import InvalidMove, Seat
from games.jewellers.bidding import cheapest_set
from games.jewellers.components import CARDS, COLOUR_NAMES, COLOURS, JUNCTIONS, SIZES
from games.jewellers.state import Bid, Draw, Move, Pass, Phase, Place, State, Stay, UpTo
from games.reading import echo, fold, lower, read_number, read_word, refuse_rest, split_line, upper

WORDS: dict[Phase, tuple[str, ...]] = {
    Phase.PLACE: ("silver",),
    Phase.DRAW: ("draw",),
    Phase.BID: ("bid", "pass", "up"),
    Phase.MOVE: ("silver",),
    Phase.OVER: (),
}
ALL_WORDS = ("draw", "bid", "pass", "up", "silver")

_JUNCTION = re.compile(r"([a-z]+)[ -]*0{0,4}([0-9]{1,2})")
_BETWEEN_CARDS = re.compile(r"[ ,+]+")


def write(move: Move) -> str:
    """Write the move in canonical notation."""
    match move:
        case Draw(size):
            return f"draw {size}"
        case Bid(cards):
            return " ".join(["bid", *(str(card) for card in cards)])
        case UpTo(limit):
            return f"up to {limit}"
        case Pass():
            return "pass"
        case Place(junction):
            return f"silver {junction}"
        case Stay():
            return "silver stay"
        case _:
            assert_never(move)


def parse(state: State, seat: Seat, text: str) -> Move:
    """Read the move that is meant; `apply` checks whether it is legal. Raises InvalidMove or AmbiguousMove.

    `up to N` becomes a `Bid` when the seat is to bid and one fits.
    """
    move = read_later(state, seat, text)
    if isinstance(move, UpTo) and state.phase is Phase.BID and seat == state.turn:
        cards = cheapest_set(state, seat, move.limit)
        return UpTo(move.limit) if cards is None else Bid(cards)
    return move


def read_later(state: State, seat: Seat, text: str) -> Move:
    """Read a move for a later position: `up to N` stays as it is. Raises InvalidMove or AmbiguousMove."""
    head, *rest = split_line(text)
    match read_word(head, WORDS[state.phase], known=ALL_WORDS):
        case "draw":
            return Draw(_read_size(rest))
        case "bid":
            return Bid(_read_cards(rest))
        case "up":
            return _read_limit(rest)
        case "silver":
            return _read_silver(rest)
        case _:
            refuse_rest(rest)
            return Pass()


def spell_out(state: State, seat: Seat, text: str) -> Sequence[str]:
    """Write `up to 17` for `bid up to 17`; everything else stays as it was typed."""
    words = lower(fold(text)).split()
    if words[:1] == ["bid"] and words[1:2] == ["up"]:
        return (" ".join(words[1:]),)
    return (text,)


def _read_size(rest: Sequence[str]) -> str:
    if not rest:
        raise InvalidMove("no-size", "Which size do you draw? Write for example: draw small")
    refuse_rest(rest[1:])
    return read_word(rest[0], SIZES)


def _read_cards(rest: Sequence[str]) -> tuple[int, ...]:
    words = [word for word in _BETWEEN_CARDS.split(" ".join(rest)) if word]
    if not words:
        raise InvalidMove("no-card", "Which cards do you add? Write for example: bid 2 9")
    cards = [read_number(word) for word in words]
    for card in cards:
        if card not in CARDS:
            raise InvalidMove(
                "unknown-card",
                "There is no card {card}. Name the cards you add now, or your highest total: up to {card}",
                card=card,
            )
    return tuple(sorted(cards))


def _read_limit(rest: Sequence[str]) -> UpTo:
    if len(rest) < 2:
        raise InvalidMove("no-number", "Up to which total do you bid? Write for example: up to 17")
    read_word(rest[0], ("to",))
    refuse_rest(rest[2:])
    return UpTo(read_number(rest[1]))


def _read_silver(rest: Sequence[str]) -> Place | Stay:
    if not rest:
        raise InvalidMove("no-junction", "Where does the silver go? Write for example: silver R3")
    words = " ".join(rest)
    if "stay".startswith(words):
        return Stay()
    found = _JUNCTION.fullmatch(words)
    letters = [colour for colour, name in COLOUR_NAMES.items() if found and name.startswith(found[1])]
    junction = letters[0] + found[2] if found and len(letters) == 1 else ""
    if junction not in JUNCTIONS:
        raise InvalidMove(
            "unknown-junction",
            "“{words}” is no junction. Write “silver” and one of {first} to {last}, or: silver stay",
            words=echo(words),
            first=JUNCTIONS[0],
            last=JUNCTIONS[-1],
        )
    return Place(junction)


def write_bag(bag: Sequence[Sequence[str]]) -> str:
    """Write the `Deal:` line: the colours of each size in the order in which they will be drawn."""
    return "; ".join(f"{size}: {' '.join(colours)}" for size, colours in zip(SIZES, bag, strict=True))


def read_bag(deal: str) -> tuple[tuple[str, ...], ...]:
    """Read the order of the colours from a `Deal:` line. Raises InvalidMove (`bad-deal`)."""
    lists: list[tuple[str, tuple[str, ...]]] = []
    for part in deal.rstrip("; ").split(";"):
        size, _, colours = part.partition(":")
        lists.append((lower(size.strip()), tuple(upper(colours).split())))
    if sorted(size for size, _ in lists) != sorted(SIZES) or any(
        sorted(colours) != sorted(COLOURS) for _, colours in lists
    ):
        raise InvalidMove(
            "bad-deal",
            "A deal of Jewellers names each colour once for each size, for example: {example}",
            example=write_bag((COLOURS,) * len(SIZES)),
        )
    return tuple(dict(lists)[size] for size in SIZES)
