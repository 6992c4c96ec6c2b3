"""Describes moves as players do: tiles by form and colours, cells by where they lie, groups.

Only plays of one or two steps and trades are described. Paragraph numbers refer to RULES.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import permutations

from games.contract import Seat
from games.gembatan.components import COLOUR_NAMES, FLAT, LAID, SIDES, TILE_CODES
from games.gembatan.grid import OPPOSITE, name_point, point_of, step_to
from games.gembatan.notation import write, write_cell
from games.gembatan.state import Cell, Codes, GemStep, Play, Point, State, TileStep, Trade
from games.gembatan.trades import list_trades
from games.gembatan.turn import Turn, begin_turn, list_steps
from games.phrases.described import NEVER, Described, Step, Traits, in_any_order

_NOTHING = frozenset[str]()
_TRADE, _GROUP, _TILE, _GEM, _PLACE = (
    frozenset([part]) for part in ("trade", "group", "tile", "gem", "place")
)
_SAYING = {"N": ("north", "up"), "E": ("east", "right"), "S": ("south", "down"), "W": ("west", "left")}
"""How a side is said; the words of places stand for its directions too."""
_WHERE = {"N": "above", "E": "right-of", "S": "below", "W": "left-of"}
_KIND = {code: kind for (kind, _), code in TILE_CODES.items()}
_PAIR = {code: pair for (_, pair), code in TILE_CODES.items()}
_COUNTED = {
    2: ("all", "both", "2"),
    3: ("all", "3", "all 3", "three"),
    4: ("all", "4", "all 4", "four", "all four"),
}
"""How all pieces of a group are said, by their number; words, for a number is said once in a sentence."""


_GEM_LETTERS = 2
_ANOTHER = "and-the"
"""Stands between two pieces."""
_TO_TRAY = "to-tray"
"""Says where what is traded goes; of a language that has no other words for where something lies."""


def describe(state: State, seat: Seat) -> Iterator[Described]:
    """The legal trades, and plays of one or two steps, with what players say of them."""
    if state.is_over or seat != state.turn:
        return
    turn = begin_turn(state, seat)
    can_play = any(True for _ in list_steps(turn))
    for first in list_steps(turn):
        said = _describe_step(turn, first)
        alone = 2 if isinstance(first, GemStep) else 3
        yield Described(write(Play((first,))), [said], alone=alone, with_code=2)
        then = turn.make(first)
        for second in list_steps(then):
            both = [said, _describe_step(then, second)]
            yield Described(write(Play((first, second))), both, alone=3)
    hand = [
        _Group.of(pieces, names)
        for pieces, names in _name_hand(state.gem_hands[seat], state.tile_hands[seat])
    ]
    for trade in list_trades(state):
        yield from _describe_trade(trade, hand, can_play=can_play)


def _describe_step(turn: Turn, step: TileStep | GemStep) -> Step:
    if isinstance(step, GemStep):
        points = [*_name_point(turn, step.point), *_name_point_of_laid(turn, step.point)]
        traits = dict.fromkeys(_name_gem(step.gem), _GEM) | dict.fromkeys(points, _PLACE)
        traits["no-tile"] = _PLACE if _takes_gem_alone(turn, step) else _NOTHING
        return Step(traits, _GEM | _PLACE, {_ANOTHER: _NOTHING})
    tiles, cells, gems = _name_tile(step.tile), [*_name_cell(turn, step.cell)], _name_gem(step.gem)
    if step.gem == _PAIR[step.tile]:
        gems += ["same", *in_any_order("same", "gem")]
    sides = [f"{gem} {side}" for gem in gems for side in (*_SAYING[step.side], f"{_WHERE[step.side]} it")]
    sides += [f"{side} {gem}" for gem in gems for side in _SAYING[step.side]]
    sides += [f"{_WHERE[OPPOSITE[step.side]]} {gem}" for gem in gems]
    facings = _name_facing(step, write_cell(step.cell))
    turned = [f"{tile} {_SAYING[side][0]}" for tile in tiles for side in _list_facings(step)]
    traits = dict.fromkeys([*cells, *gems, *sides, *facings], _NOTHING)
    return Step(traits | dict.fromkeys([*tiles, *turned], _TILE), _TILE, {_ANOTHER: _NOTHING})


def _takes_gem_alone(turn: Turn, step: GemStep) -> bool:
    """True where the gem fits into no other empty socket: *no tile, just the YO gem*."""
    steps = (each for each in list_steps(turn) if isinstance(each, GemStep))
    return sum(each.gem == step.gem for each in steps) == 1


def _name_gem(gem: str) -> list[str]:
    """Name a gem by its code or its two colours."""
    names = [gem.lower(), gem[::-1].lower(), *_name_colours(gem)]
    return [*names, *(f"gem {name}" for name in names), *(f"{name} gem" for name in names)]


def _name_colours(pair: str) -> Sequence[str]:
    return [*in_any_order(*(COLOUR_NAMES[letter] for letter in pair))]


def _name_tile(tile: str) -> list[str]:
    """Name a tile by its code, its form, or its form and colours."""
    kind, code = _KIND[tile], tile.lower()
    short = code.rstrip(FLAT)  # `RYR` for `RYR-`; that of a corner is the code of a gem
    pairs = _name_colours(_PAIR[tile])
    letters = ["".join(order).lower() for order in permutations(_PAIR[tile])]
    named = [each for pair in letters for each in (f"{kind} {pair}", f"{pair} {kind}")]  # *the BO corner*
    named += [
        name
        for pair in pairs
        for name in (f"{kind} {pair}", f"{pair} {kind}", f"{pair} tile", f"tile {pair}")
    ]
    codes = [
        name
        for each in dict.fromkeys((code, short if len(short) > _GEM_LETTERS else code))
        for name in (each, f"{kind} {each}", f"{each} {kind}", f"tile {each}", f"{each} tile")
    ]
    return [
        kind,
        f"{kind} tile",
        f"tile {kind}",
        *codes,
        *named,
        *(f"{name} tile" for name in named if kind in name),
    ]


def _name_cell(turn: Turn, cell: Cell) -> Iterator[str]:
    """Name the cell by its numbers, by the tiles next to it, and as the outermost on a side."""
    yield write_cell(cell)
    laid = turn.grid.sides
    around = [write_cell(step_to(cell, side)) for side in SIDES if step_to(cell, side) in laid]
    yield from (f"between {one} {other}" for one, other in permutations(around, 2))
    for side in SIDES:
        neighbour, where = step_to(cell, side), OPPOSITE[side]
        yield from _name_beside(turn, neighbour, where)
        if neighbour in laid:
            yield from (_WHERE[where], "next-to") if len(laid) == 1 else ()
            yield from (f"next-to {name}" for name in _name_laid(neighbour))
        if neighbour in turn.laid[-1:]:
            yield from (f"{way} it" for way in (_WHERE[where], "next-to"))
    for side, here, others in (
        ("N", cell[1], [y for _, y in laid]),
        ("E", cell[0], [x for x, _ in laid]),
        ("S", -cell[1], [-y for _, y in laid]),
        ("W", -cell[0], [-x for x, _ in laid]),
    ):
        if here > max(others):
            yield _SAYING[side][1]
            yield from (f"{_WHERE[side]} {name}" for name in in_any_order(_SAYING[side][1], "tile"))


def _name_beside(turn: Turn, neighbour: Cell, side: str) -> Iterator[str]:
    """Name what lies on this side of a tile."""
    if neighbour in turn.grid.sides:
        yield from (f"{_WHERE[side]} {name}" for name in _name_laid(neighbour))


def _name_laid(cell: Cell) -> Sequence[str]:
    """Name a tile that lies."""
    return [write_cell(cell), *(["start", "start tile"] if cell == (0, 0) else [])]


def _name_facing(step: TileStep, cell: str) -> Iterator[str]:
    """Say where the first letter points, and where the tile is flat."""
    own = LAID[step.tile][step.facing]
    for place, side in enumerate(SIDES):
        for said in _SAYING[side] if own[place] == FLAT else ():
            yield from (*in_any_order("flat", said), f"flat facing {said}")
    for side in _list_facings(step):
        yield f"{cell} {_SAYING[side][0]}"  # `up` may say where the cell lies
        for said in _SAYING[side]:
            yield from (f"facing {said}", f"{said} facing")


def _list_facings(step: TileStep) -> Iterator[str]:
    """The directions of the first letter with which the tile looks like this."""
    for side in SIDES:
        if LAID[step.tile][side] == LAID[step.tile][step.facing]:
            yield side


def _name_point(turn: Turn, point: Point) -> Iterator[str]:
    """Name a socket by either tile and the side of it; one that was there before, as empty."""
    cell, side = name_point(point)
    for tile, toward in ((cell, side), (step_to(cell, side), OPPOSITE[side])):
        yield from _name_beside(turn, tile, toward)
        for said in _SAYING[toward]:
            yield from in_any_order(write_cell(tile), said)
        yield f"between {write_cell(tile)} {write_cell(step_to(tile, toward))}"
        if [each for each in SIDES if point_of(tile, each) in turn.grid.empty_sockets] == [toward]:
            yield from in_any_order("empty", write_cell(tile))
    if point in turn.grid.empty_sockets:
        yield "empty"


def _name_point_of_laid(turn: Turn, point: Point) -> Iterator[str]:
    """Name a socket by the side of the tile that was laid last in this turn."""
    for cell in turn.laid[-1:]:
        for side in SIDES:
            if point_of(cell, side) == point:
                yield from (*_SAYING[side], f"{_WHERE[side]} it")


def _name_hand(gems: Codes, tiles: Codes) -> Iterator[tuple[Codes, Sequence[str]]]:
    """Name each piece of a hand, and the groups of them that can be traded."""
    pieces = (*gems, *tiles)
    of_kinds = {kind: tuple(tile for tile in tiles if _KIND[tile] == kind) for kind in _KIND.values()}
    for piece in sorted({*pieces}):
        names = _name_tile(piece) if piece in _KIND else _name_gem(piece)
        common = [kind for kind, alike in of_kinds.items() if len(alike) > 1]
        names = [name for name in names if name.removesuffix(" tile").removeprefix("tile ") not in common]
        is_only = sum(_PAIR.get(each, each) == _PAIR.get(piece, piece) for each in {*pieces}) == 1
        yield (piece,), [*names, *(_name_colours(_PAIR[piece]) if is_only and piece in _KIND else ())]
    for kind, alike in of_kinds.items():
        yield alike, [*_name_group(alike, kind), *_name_group(alike, kind, "tile")]
    for piece in sorted({*pieces}):
        alike = (piece,) * pieces.count(piece)
        for name in _name_tile(piece) if piece in _KIND else _name_gem(piece):
            again = [" ".join([name] * len(alike))] if len(alike) > 1 and " " not in name else []
            yield alike, [*_name_group(alike, name), *again]
    for letter, colour in COLOUR_NAMES.items():
        shown = tuple(gem for gem in gems if letter in gem)
        yield shown, [*_name_group(shown, "gem", colour)]
    yield gems, [*_name_group(gems, "gem")]
    yield tiles, [*_name_group(tiles, "tile")]
    both = (*in_any_order("gem", "tile"),)
    yield pieces, ["everything", *(f"{count} {words}" for count in ("all", "everything") for words in both)]


def _name_group(group: Codes, *nouns: str) -> Iterator[str]:
    for count in _COUNTED.get(len(group), ()):
        yield from in_any_order(count, *nouns)


@dataclass(frozen=True, slots=True)
class _Group:
    """Pieces of a hand that are named together, or a single one."""

    pieces: Counter[str]
    """How many of each are traded by whoever names them."""
    traits: Traits

    @classmethod
    def of(cls, pieces: Codes, names: Iterable[str]) -> _Group:
        whole = _NOTHING if len(pieces) == 1 else _GROUP
        return cls(Counter(pieces), dict.fromkeys(names, frozenset(pieces) | whole))


def _describe_trade(trade: Trade, hand: Sequence[_Group], *, can_play: bool) -> Iterator[Described]:
    """Each piece of the trade must be named, alone or in a group that the hand holds no more of; `hand`: the groups,
    the last of which is all of it.

    Without a verb, what goes *back* is traded for certain where a whole group is named: *both crosses back*; not what
    *dans la réserve* says, for it may lie there. Who cannot play trades what they name. More pieces than a step lays,
    without any such word, are offered.
    """
    traded = Counter((*trade.gems, *trade.tiles))
    halved = {count for piece, count in hand[-1].pieces.items() if 0 < traded[piece] < count}
    traits: Traits = dict.fromkeys(_name_rest(trade, halved), frozenset())
    for group in hand:
        if group.pieces.items() <= traded.items():
            traits |= group.traits
    anywhere = {"trade": _TRADE, _TO_TRAY: _TRADE, "useless": _NOTHING}
    if traded.total() > 1:  # *the cross and the red-green* are no red-green cross
        anywhere[_ANOTHER] = _NOTHING
    move, step = write(trade), Step(traits, frozenset(traded) | _TRADE, anywhere)
    yield Described(move, [step], declines=True, with_verb=1)
    if any(parts >= _GROUP for parts in traits.values()):
        back = {word: parts for word, parts in anywhere.items() if word != _TO_TRAY}
        of_group = replace(step, needs=step.needs | _GROUP, anywhere=back)
        yield Described(move, [of_group], declines=True, with_verb=1, alone=1)
    if not can_play:
        named = replace(step, needs=step.needs - _TRADE)
        yield Described(move, [named], declines=True, with_verb=1, alone=1, needs_no_article=True)
    elif max(len(trade.gems), len(trade.tiles)) > 1:
        yield Described(move, [replace(step, needs=step.needs - _TRADE)], declines=True, with_verb=NEVER)


def _name_rest(trade: Trade, halved: Set[int]) -> Iterator[str]:
    """Say how many pieces are traded, and which kind is kept.

    `halved`: the sizes of groups of like pieces that the trade divides; *both GP and the tee* are no two pieces.
    """
    for pieces, noun in (((*trade.gems, *trade.tiles), ""), (trade.gems, " gem"), (trade.tiles, " tile")):
        for count in () if len(pieces) in halved else _COUNTED.get(len(pieces), ())[1:]:
            yield from (f"{count}{noun}", f"{count} new{noun}")
    for pieces, noun in ((trade.gems, "gem"), (trade.tiles, "tile")):
        if not pieces:
            yield from (*in_any_order("keep", noun), *in_any_order("keep", "all", noun))
