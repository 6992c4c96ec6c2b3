"""Describes moves as players do: gems by their colours, places by what lies there.

Paragraph numbers refer to RULES.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from games.contract import Seat
from games.gemessengers.components import ROW_NAMES, SUIT_NAMES, WORKSHOP_SIZE, Piece
from games.gemessengers.notation import write
from games.gemessengers.rules import RULES
from games.gemessengers.state import ROW_SPOTS, Play, Proclaim, Spot, State, Workshop, piece_of
from games.gemessengers.workshop import find_spot
from games.phrases.described import NEVER, Described, Step, Traits, in_any_order

_FINISH, _GEM, _SPOT, _PROCLAIM, _ROWS = (
    frozenset([part]) for part in ("finish", "gem", "spot", "proclaim", "rows")
)
_NOTHING = frozenset[str]()
_COLOURS = {"A": "purple", "C": "yellow", "E": "green", "R": "red", "S": "blue"}
"""The colours by which gems are called; diamond and topaz have none that is theirs alone."""
_ORDINALS = ("1st", "2nd", "3rd")
_RANKED = re.compile(rf"\b(?:{'|'.join(_ORDINALS)}|last)\b")
_LAST_ROW = ("last row", "row last", "down row", "row down")
_NEW_ROW = re.compile(r"\bnew\b|^row (?:above|below)|(?:above|below) row$")
_WHOLE_NEW_ROW = re.compile(r"(?=.*\bnew\b)(?=.*\brow\b)(?=.*\b(?:up|down|above|below)\b)")
"""Matches a row that is new and where."""
_RELATIVE = re.compile(r" (?:(?:above|below|beside) (?!all\b)|beside-it$)")
"""Matches a place beside what lies there already."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """The moves of a player's turn, and the workshop and piece that they are for."""

    workshop: Workshop
    piece: Piece
    plays: Sequence[Play]
    proclamations: Sequence[Proclaim]

    def list_plays_of(self, gem: str) -> list[Play]:
        return [play for play in self.plays if play.gem == gem]


def describe(state: State, seat: Seat) -> Iterator[Described]:
    """The legal moves of the seat with what players say of them."""
    moves = [*RULES.legal_moves(state, seat)]
    plays = [move for move in moves if isinstance(move, Play)]
    proclamations = [move for move in moves if isinstance(move, Proclaim)]
    turn = _Turn(state.workshops[seat], piece_of(state), plays, proclamations)
    for move in moves:
        match move:
            case Play():
                yield from _describe_play(turn, move)
            case Proclaim():
                yield from _describe_proclamation(turn, move)


def _describe_play(turn: _Turn, move: Play) -> Iterator[Described]:
    workshop, gem, text = turn.workshop, move.gem, write(move)
    is_sole = len(turn.list_plays_of(gem)) == 1
    spots = _name_spots(turn, move)
    if _is_last_row(turn, move) and Spot.BELOW in {play.spot for play in turn.plays}:
        # the last row that is laid, or that of the piece, which is still to begin
        step = Step(_name_gem(gem) | dict.fromkeys(_LAST_ROW, _SPOT), _GEM | _SPOT, {"play": _NOTHING})
        yield Described(text, [step], with_verb=NEVER)
    traits = _name_gem(gem) | spots | dict.fromkeys(_count_gem(workshop, gem), _GEM)
    step = Step(traits, _GEM if is_sole else _GEM | _SPOT, {"play": _NOTHING})
    yield Described(text, [step], with_verb=1 if is_sole else 2, alone=3 if workshop else NEVER)
    if is_sole and gem in _COLOURS:  # *the blue one*, and *blue*, which nobody is called
        step = Step({_COLOURS[gem]: _GEM}, _GEM, {"play": _NOTHING})
        yield Described(text, [step], with_verb=1, alone=1, needs_no_article=True)
    if is_sole and sum(map(len, workshop)) == WORKSHOP_SIZE - 1:
        step = Step(_name_gem(gem), _GEM | _FINISH, {"finish": _FINISH, "play": _NOTHING})
        yield Described(text, [step], with_verb=1, alone=1)
    if workshop:
        yield from _describe_gem_with_place(workshop, gem, spots, text)


def _describe_gem_with_place(workshop: Workshop, gem: str, spots: Traits, text: str) -> Iterator[Described]:
    """Describe a play by gem and place in one breath; *sur le bleu* tells of a place alone: the gem stands in front."""
    gems = [*_name_gem(gem), *_count_gem(workshop, gem)]
    places = [place for place in spots if "new" not in place]
    both = {f"{name} {place}": _GEM | _SPOT for name in gems for place in places}
    both |= dict.fromkeys(_name_with_new_row(gem, spots), _GEM | _SPOT)
    yield Described(text, [Step(both, _GEM | _SPOT, {"play": _NOTHING})], with_verb=1, alone=1)
    told = {name: parts for name, parts in both.items() if _RELATIVE.search(name) and _has_suits(name)}
    yield Described(text, [Step(told, _GEM | _SPOT)], alone=1, needs_no_article=True)
    new_rows = dict.fromkeys(filter(_WHOLE_NEW_ROW.match, spots), _SPOT)
    step = Step(_name_gem(gem) | new_rows, _GEM | _SPOT)
    yield Described(text, [step], alone=2, needs_no_article=True)


def _describe_proclamation(turn: _Turn, move: Proclaim) -> Iterator[Described]:
    text = write(move)
    suits = {each.suit for each in turn.proclamations}
    names = [ROW_NAMES[row] for row in move.rows]
    guild = [*_name_rows([f"guild-{name}" for name in names])]
    traits = dict.fromkeys([*_name_rows(names), *guild], _ROWS) | {SUIT_NAMES[move.suit]: _GEM}
    needs = _ROWS | (_GEM if len(suits) > 1 else _PROCLAIM)
    may_be_played = bool(turn.list_plays_of(move.suit))
    step = Step(traits, needs | _PROCLAIM if may_be_played else needs, {"proclaim": _PROCLAIM})
    yield Described(text, [step])
    if len(suits) == 1:  # *my proclamation to the base*; what *goes best at the top* is praised
        plain = {name: parts for name, parts in traits.items() if not _RANKED.search(name)}
        step = Step(plain, needs | _PROCLAIM, {"proclaim": _PROCLAIM})
        yield Described(text, [step], with_verb=1)
    if not any(find_spot(turn.workshop, turn.piece, row) for row in ROW_NAMES):
        # no gem is put there yet, so *amethyst to decoration* proclaims it
        named = {SUIT_NAMES[move.suit]: _GEM} | dict.fromkeys(guild, _ROWS)
        yield Described(text, [Step(named, _GEM | _ROWS)], alone=2, needs_no_article=True)


def _name_spots(turn: _Turn, move: Play) -> Traits:
    """Name the place of a play in all ways; `last` only where no row is still to begin below it."""
    open_spots = {play.spot for play in turn.list_plays_of(move.gem)}
    open_rows = [row for row, spot in zip(turn.workshop, ROW_SPOTS, strict=False) if spot in open_spots]
    names = [*_name_spot(turn.workshop, open_rows, move.spot, move.gem)]
    if _is_last_row(turn, move) and Spot.BELOW not in {play.spot for play in turn.plays}:
        names += _LAST_ROW
    if move.gem not in {each.suit for each in turn.proclamations}:
        # else *emerald in the base* may proclaim it
        names += _name_pattern_rows(turn.workshop, turn.piece, move.spot)
    if len(open_spots) == 1:
        names.append("beside-it")
    return dict.fromkeys(names, _SPOT)


def _is_last_row(turn: _Turn, move: Play) -> bool:
    return ROW_SPOTS[: len(turn.workshop)][-1:] == (move.spot,)


def _name_gem(gem: str) -> Traits:
    """Name a gem by its suit or its colour, or both."""
    suit, colour = SUIT_NAMES[gem], _COLOURS.get(gem)
    return dict.fromkeys([suit, *([colour, f"{colour} {suit}", f"{suit} {colour}"] if colour else [])], _GEM)


def _has_suits(name: str) -> bool:
    """True where no gem is called by its colour alone: *purple goes with red* may be said of anything."""
    return {*_COLOURS.values()}.isdisjoint(name.split())


def _count_gem(workshop: Workshop, gem: str) -> Iterator[str]:
    """Name a gem by how many of its suit lie already: *the second diamond*."""
    laid = sum(row.count(gem) for row in workshop)
    if 0 < laid < len(_ORDINALS):
        yield from (f"{_ORDINALS[laid]} {name}" for name in _name_gem(gem))


def _name_with_new_row(gem: str, traits: Traits) -> Iterator[str]:
    """Name a gem behind the row that it begins: *a new row below with a topaz*."""
    for place, parts in traits.items():
        if parts == _SPOT and _NEW_ROW.search(place):
            yield from (f"{place} beside {name}" for name in _name_gem(gem))


def _name_spot(workshop: Workshop, open_rows: Sequence[Sequence[str]], spot: Spot, gem: str) -> Iterator[str]:
    """Name a row by its number, by what lies in it, or as a new one (paragraphs 12 to 15).

    `open_rows`: those in which the gem can be laid; what lies in the others leaves no doubt.
    """
    if spot in ROW_SPOTS:
        place = ROW_SPOTS.index(spot)
        numbers = [f"row {place + 1}", f"{_ORDINALS[place]} row", f"{place + 1} row"]
        yield from numbers
        yield from ("edge-up",) if place == 0 else ()  # *top* alone is this row or a new one
        # An edge alone may be that of a row still to come, but not beside what lies there.
        edges = [*(["up row", "row up"] if place == 0 else [])]
        edges += ["down row", "row down", "last row"] if spot == ROW_SPOTS[: len(workshop)][-1] else []
        if sum(gem in row for row in open_rows) == 1 and gem in workshop[place]:
            firsts = ("same", "1st") if sum(row.count(gem) for row in workshop) == 1 else ("same",)
            for first in firsts:
                yield from (f"beside {first}", *(f"beside {first} {name}" for name in _name_gem(gem)))
        yield from ("beside-it",) if len(workshop) == 1 else ()
        for edge in _name_edges(workshop, place):
            for name in (name for other in dict.fromkeys(workshop[place]) for name in _name_gem(other)):
                yield from (f"beside {edge} {name}", f"beside {name} {edge}")
        for names in _name_neighbours(workshop[place], open_rows):
            yield f"beside {names}"
            for number in (*numbers, *edges):
                yield from (f"beside {names} {number}", f"{number} beside {names}")
        for other in dict.fromkeys(workshop[place]):  # in more rows than one, but named with its number
            yield from (f"beside {name} {number}" for name in _name_gem(other) for number in numbers)
    elif spot is Spot.ABOVE:
        yield from ("edge-up", *_name_new_row("above", "up", workshop[0], ()))
    elif spot is Spot.BELOW:
        ordinal = _ORDINALS[len(workshop) : len(workshop) + 1]
        numbers = [each for word in ordinal for each in (f"{word} row", f"row {word}")]
        yield from _name_new_row(
            "below", "down", workshop[-1], [*numbers, *(f"row {len(workshop) + 1}" for _ in ordinal)]
        )


def _name_edges(workshop: Workshop, place: int) -> Iterator[str]:
    """Name the row at this place as the upper or lower one, of several."""
    if len(workshop) > 1:
        yield from ("up",) if place == 0 else ()
        yield from ("down",) if place == len(workshop) - 1 else ()


def _name_pattern_rows(workshop: Workshop, piece: Piece, spot: Spot) -> Iterator[str]:
    """Name the row of the piece, once rows are fixed (paragraph 14)."""
    for row, name in ROW_NAMES.items():
        if find_spot(workshop, piece, row) == spot:
            yield from (name, f"guild-{name}", f"{name} row", f"row {name}")


def _name_neighbours(row: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Name the gems of a row that are together, or one of them, or one alone, in no other of these rows."""
    for gem in dict.fromkeys(row):
        if sum(gem in other for other in rows) == 1:
            yield from _name_gem(gem)
        if sum({*other} == {gem} for other in rows) == 1 and {*row} == {gem}:
            yield from (f"only {name}" for name in _name_gem(gem))
    for two in permutations(dict.fromkeys(row), 2):
        if sum({*two} <= {*other} for other in rows) == 1:
            yield " ".join(SUIT_NAMES[gem] for gem in two)


def _name_new_row(where: str, edge: str, nearest: Sequence[str], numbers: Sequence[str]) -> Iterator[str]:
    """Name the row that is begun above or below the outermost one."""
    news = ["new", "row", "new row", "row new", *numbers, *(f"new {number}" for number in numbers)]
    places = [
        where,
        edge,
        f"{where} {edge}",
        f"{edge} {where}",
        f"{where} all",
        f"{where} {edge} row",
        f"{where} row",
    ]
    places += [f"{where} {name}" for gem in dict.fromkeys(nearest) for name in _name_gem(gem)]
    yield from (place for place in places if place != edge)
    for place in places:
        for new in news:
            if place != edge or new != "row":
                yield from in_any_order(place, new)
    yield from (f"new {edge} row", *numbers)


def _name_rows(names: list[str]) -> Iterator[str]:
    """Name the rows of the guild in the order in which they are tried (paragraph 17)."""
    elses = ["else"] * (len(names) - 1)
    for said in (names, [f"{name} row" for name in names], [f"row {name}" for name in names]):
        yield " ".join(said)
        for before in (
            _ORDINALS,
            ("", *_ORDINALS[1:]),
            (*_ORDINALS[:2], "last"),
            ("", _ORDINALS[1], "last"),
            ("", *elses),
            (_ORDINALS[0], *elses),
        ):
            yield " ".join(word for pair in zip(before, said, strict=False) for word in pair if word)
