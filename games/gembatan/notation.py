"""Gembatan's move texts, written canonically and read leniently."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from typing import assert_never

from games.contract import AmbiguousMove, InvalidMove, Seat
from games.gembatan.components import (
    CODE_OF_PAIR,
    COLOUR_NAMES,
    COLOURS,
    FLAT,
    KINDS,
    LAID,
    SAME_FACING,
    TILE_CODES,
)
from games.gembatan.grid import name_point, point_of
from games.gembatan.state import Cell, Codes, GemStep, Move, Pass, Play, State, TileStep, Trade
from games.reading import echo, fold, read_number, read_word, refuse_long, refuse_rest, split_line, upper

STEP_WORDS = ("play", "gem")
WORDS = (*STEP_WORDS, "trade", "pass")
SIDE_NAMES = {"north": "N", "east": "E", "south": "S", "west": "W"}

_CELL = re.compile(r"\(?(-?)([0-9]+),(-?)([0-9]+)\)?")
_AROUND_COMMA = re.compile(r"\s*,\s*")
_BETWEEN_COLOURS = re.compile(r"[-/]")


def write(move: Move) -> str:
    """Write the move in canonical notation."""
    match move:
        case Play(steps):
            return " + ".join([write_step(step) for step in steps])
        case Trade(gems, tiles):
            words = ["trade"]
            words += ["gems", *gems] if gems else []
            words += ["tiles", *tiles] if tiles else []
            return " ".join(words)
        case Pass():
            return "pass"
        case _:
            assert_never(move)


def write_step(step: TileStep | GemStep) -> str:
    """Write one step of a play; a gem step names its socket as `grid.name_point` does."""
    match step:
        case TileStep(tile, cell, facing, gem, side):
            return f"play {tile} {write_cell(cell)} {facing} gem {gem} {side}"
        case GemStep(gem, point):
            cell, side = name_point(point)
            return f"gem {gem} {write_cell(cell)} {side}"
        case _:
            assert_never(step)


def write_cell(cell: Cell) -> str:
    """Write a cell as `x,y`."""
    return f"{cell[0]},{cell[1]}"


def parse(state: State, seat: Seat, text: str) -> Move:
    """Read the move that is meant; `apply` checks whether it is legal. Raises InvalidMove or AmbiguousMove."""
    refuse_long(text)
    words = split_line(_AROUND_COMMA.sub(",", text.replace("+", " + ")))
    if fold(text).endswith("."):
        words[-1] = _restore_full_stop(words[-1])
    parts = _split_steps(words)
    if len(parts) == 1:
        head, *rest = parts[0]
        match read_word(head, WORDS):
            case "trade":
                return _read_trade(rest)
            case "pass":
                refuse_rest(rest)
                return Pass()
            case _:
                pass
    return Play(tuple(_read_step(part) for part in parts))


def _restore_full_stop(word: str) -> str:
    """Put back the last flat side of a tile code, if it was written as a full stop and lost at the end of the line."""
    code = upper(word).replace(".", FLAT) + FLAT
    return code if code in LAID else word


def _split_steps(words: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "+":
            parts.append([])
        else:
            parts[-1].append(word)
    if not all(parts):
        raise InvalidMove(
            "empty-step", "A “+” stands between two steps. Write a step before and after it, or leave it out."
        )
    return parts


def _read_step(words: Sequence[str]) -> TileStep | GemStep:
    head = read_word(words[0], STEP_WORDS, known=WORDS)
    reader = _Reader(words[1:])
    match head:
        case "play":
            tile = reader.read_tile()
            cell = reader.read_cell()
            facing = SAME_FACING[tile][reader.read_side()]
            reader.read_keyword("gem")
            gem = reader.read_gem()
            step: TileStep | GemStep = TileStep(tile, cell, facing, gem, reader.read_side())
        case "gem":
            gem = reader.read_gem()
            step = GemStep(gem, point_of(reader.read_cell(), reader.read_side()))
        case _:
            raise InvalidMove(
                "stands-alone",
                "“{word}” cannot be joined to other steps. Write it on a line of its own.",
                word=head,
            )
    refuse_rest(reader.rest)
    return step


def _read_trade(words: Sequence[str]) -> Trade:
    reader = _Reader(words)
    gems: list[str] = []
    tiles: list[str] = []
    kind = ""
    while reader.rest:
        kind = reader.read_section(kind)
        if kind == "gems":
            gems.append(reader.read_gem())
        else:
            tiles.append(reader.read_tile())
    if not gems and not tiles:
        raise InvalidMove("empty-trade", "Say what you trade, for example: trade gems RB RG tiles R-B-")
    return Trade(tuple(sorted(gems)), tuple(sorted(tiles)))


def read_tiles(words: Sequence[str]) -> Codes:
    """Read the tiles that these lower-case words name. Raises InvalidMove or AmbiguousMove."""
    reader = _Reader(words)
    tiles = []
    while reader.rest:
        tiles.append(reader.read_tile())
    return tuple(tiles)


def read_gems(words: Sequence[str]) -> Codes:
    """Read the gems that these lower-case words name. Raises InvalidMove."""
    reader = _Reader(words)
    gems = []
    while reader.rest:
        gems.append(reader.read_gem())
    return tuple(gems)


class _Reader:
    """Takes the words of a step one after the other; every method raises InvalidMove or AmbiguousMove."""

    def __init__(self, words: Sequence[str]) -> None:
        self.rest = deque(words)

    def read_tile(self) -> str:
        """Read a code (`RB--`, also `RB..`), or kind and pair (`tee red-blue`)."""
        word = self._next(
            InvalidMove("unknown-tile", "Which tile? Write its code, for example RB-- or R-B-.")
        )
        code = upper(word).replace(".", FLAT)
        if code in LAID:
            return code
        kinds = [kind for kind in KINDS if kind.startswith(word)]
        if len(kinds) == 1:
            return TILE_CODES[kinds[0], self.read_gem()]
        if kinds:
            raise AmbiguousMove(
                "ambiguous-tile",
                "“{word}” could mean {kinds}. Write the word in full, or the tile's code.",
                word=echo(word),
                kinds=", ".join(kinds),
            )
        raise InvalidMove(
            "unknown-tile",
            "“{word}” is no tile. Write the code of one, for example RB-- or R-B-, as it stands in your hand.",
            word=echo(word),
        )

    def read_gem(self) -> str:
        """Read a code in either order, or two colours (`red-blue`, `red blue`)."""
        word = self._next(InvalidMove("unknown-gem", "Which gem? Write its two letters, for example RB."))
        if upper(word) in CODE_OF_PAIR:
            return CODE_OF_PAIR[upper(word)]
        colours = _BETWEEN_COLOURS.split(word)
        if len(colours) == 1 and self.rest:
            colours.append(self.rest[0])
            if self._read_pair(colours):
                self.rest.popleft()
        pair = self._read_pair(colours)
        if not pair:
            raise InvalidMove(
                "unknown-gem",
                "“{word}” is no gem. Write its two letters, of {letters}, for example RB.",
                word=echo(word),
                letters=" ".join(COLOURS),
            )
        return pair

    def _read_pair(self, colours: Sequence[str]) -> str:
        """The pair of two colours, each a prefix of its name; empty when it is none."""
        letters = [
            letter
            for colour in colours
            for letter, name in COLOUR_NAMES.items()
            if colour and name.startswith(colour)
        ]
        return CODE_OF_PAIR.get("".join(letters), "") if len(colours) == 2 else ""

    def read_cell(self) -> Cell:
        """Read `x,y`, also in brackets."""
        word = self._next(InvalidMove("bad-cell", "Where? Write the cell as x,y, for example 1,0."))
        found = _CELL.fullmatch(word)
        if not found:
            raise InvalidMove(
                "bad-cell", "“{word}” is no cell. Write it as x,y, for example 1,0 or -2,3.", word=echo(word)
            )
        west, x, south, y = found.groups()
        return (-1 if west else 1) * read_number(x), (-1 if south else 1) * read_number(y)

    def read_side(self) -> str:
        """Read `N` `E` `S` `W`, or the word or the beginning of it."""
        word = self._next(InvalidMove("bad-side", "Which side? Write N, E, S or W."))
        for name, side in SIDE_NAMES.items():
            if name.startswith(word):
                return side
        raise InvalidMove("bad-side", "“{word}” is no side. Write N, E, S or W.", word=echo(word))

    def read_keyword(self, keyword: str) -> None:
        """Read this word or the beginning of it."""
        word = self._next(InvalidMove("missing-word", "Here “{keyword}” must follow.", keyword=keyword))
        if not keyword.startswith(word):
            raise InvalidMove(
                "missing-word",
                "“{word}” stands where “{keyword}” must follow. For example: play RBR- 1,0 E gem RB W",
                word=echo(word),
                keyword=keyword,
            )

    def read_section(self, current: str) -> str:
        """Read `gems` or `tiles` if such a word comes next, else return the `current` one.

        Among gems a lone `g` is green, among tiles a beginning of `tee` is a tile.
        """
        word = self.rest[0]
        if "gems".startswith(word) and (current != "gems" or len(word) > 1):
            kind = "gems"
        elif "tiles".startswith(word) and (current != "tiles" or len(word) > 1):
            kind = "tiles"
        elif current:
            return current
        else:
            raise InvalidMove(
                "missing-word",
                "“{word}” stands where “gems” or “tiles” must follow. "
                "For example: trade gems RB RG tiles R-B-",
                word=echo(word),
            )
        self.rest.popleft()
        if not self.rest:
            raise InvalidMove("empty-trade", "Say which {kind} you trade, or leave that word out.", kind=kind)
        return kind

    def _next(self, missing: InvalidMove) -> str:
        if not self.rest:
            raise missing
        return self.rest.popleft()
