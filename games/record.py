"""Reads and writes match records: plain text like an e-mail, headers first, then one move per line (notation).

>>> record = read_record('''Game: gem 1
... Players: Ana | Bob
... Seed: 0000000000000000000000000000000000000000000000000000000000000000
...
... 1 A bid 3
... 2 B pass ; clock
... ''')
>>> record.players, record.moves[1].text, record.moves[1].played_by
(('Ana', 'Bob'), 'pass', 'clock')
>>> print(record, end="")
Game: gem 1
Players: Ana | Bob
Seed: 0000000000000000000000000000000000000000000000000000000000000000
<BLANKLINE>
1 A bid 3
2 B pass ; clock
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from games.contract import FIRST_SEAT, GameMeta, Seat, seat_letter
from games.prose import COLUMNS
from games.reading import join_continued, lower
from games.record_headers import (
    UnreadableRecord,
    find_headers,
    read_ages,
    read_ending,
    read_first,
    read_game,
    read_hex,
    read_options,
    read_parts,
    read_players,
    read_result,
    read_seat,
    require_seats,
)

RESIGN = "resign"
MOST_LINES = 20_000
LONGEST_LINE = 4_000
"""Characters; the longest sealed order has some 2200."""
UNSHOWN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that steer a terminal, or the direction of writing, instead of being shown; halves of characters."""
LONGEST_RECORD = 8_000_000
"""Characters of the whole text; the longest match, with each order replaced many times, has a fraction of that."""

_MOVE = re.compile(r"([0-9]{1,6})\s+([A-Za-z])\s+(\S.*)")
_SEALED = re.compile(r"#\s*sealed (\S.*) ([A-Z]) ([0-9]{1,6}) ([0-9a-f]{64}) ([0-9a-f]{32}) (\S.*)")


@dataclass(frozen=True, slots=True)
class MoveLine:
    """One ply: the seat, the move as it was written, and the word after the last ` ; ` (`auto`, `plan`, `bot`, …)."""

    seat: Seat
    text: str
    played_by: str = ""
    ply: int | None = None
    """The number in the text that was read; `write_record` counts anew."""
    line: int = 0
    """Line number in the text that was read."""

    @property
    def is_resignation(self) -> bool:
        """True if the seat resigns, a move that no game's rules know."""
        return lower(self.text.strip()).removesuffix(".") == RESIGN


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line among the moves that is no move; replay stops there."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class SealedLine:
    """A sealed order of a finished match, with the hash that the log has shown since it was accepted."""

    context: str
    seat: Seat
    version: int
    hash: str
    salt: str
    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """A match as its record holds it. Without `seed` and `deal` it belongs to a match that still runs."""

    game: str
    version: int
    players: tuple[str, ...]
    options: str = ""
    """The text of the `Options:` line, as the commitment covers it."""
    seed: str | None = None
    deal: str | None = None
    first: Seat = 0
    match: str | None = None
    commitment: str | None = None
    server_part: str | None = None
    parts: tuple[str, ...] = ()
    ages: tuple[int, ...] = ()
    moves: tuple[MoveLine | BadLine, ...] = ()
    result: tuple[int, ...] | None = None
    ending: str | None = None
    sealed: tuple[SealedLine, ...] = ()
    header_lines: Mapping[str, int] = field(default_factory=dict)
    """The line number of each header, by its name."""
    unknown: tuple[str, ...] = ()
    """The names of headers that are not known here."""

    def __str__(self) -> str:
        return write_record(self)


def write_options(meta: GameMeta, chosen: Mapping[str, str], seats: int) -> str:
    """Write the `Options:` text: every option in the game's own order, defaults filled in; `FIRST_SEAT` if chosen."""
    values = {option.name: chosen.get(option.name, option.values_for(seats)[0]) for option in meta.options}
    if FIRST_SEAT.name in chosen:
        values[FIRST_SEAT.name] = chosen[FIRST_SEAT.name]
    return " ".join(f"{name}={value}" for name, value in values.items())


def write_record(record: Record) -> str:
    """Write the record as text; long moves are broken before a `+`."""
    lines = [f"Game: {record.game} {record.version}"]
    headers = {
        "Match": record.match,
        "Players": " | ".join(record.players),
        "Options": record.options,
        "Ages": " ".join(str(age) for age in record.ages),
        "Commitment": record.commitment,
        "Server-Part": record.server_part,
        "Parts": " ".join(record.parts),
        "Seed": record.seed,
        "Deal": record.deal,
        "First": seat_letter(record.first) if record.deal is not None else None,
        "Result": _write_result(record.result),
        "Ending": record.ending,
    }
    lines += [f"{name}: {value}" for name, value in headers.items() if value]
    lines.append("")
    for ply, move in enumerate(record.moves, start=1):
        lines += write_move_line(ply, move) if isinstance(move, MoveLine) else [move.text]
    if record.sealed:
        lines.append("")
    lines += [write_sealed_line(order) for order in record.sealed]
    return "\n".join(lines) + "\n"


def write_move_line(ply: int, move: MoveLine) -> list[str]:
    """Write a move in as many lines as it needs; lines after the first begin with `+`.

    >>> write_move_line(5, MoveLine(3, "take SR pay 1 2", "bot"))
    ['5 D take SR pay 1 2 ; bot']
    """
    text = f"{ply} {seat_letter(move.seat)} {move.text}"
    if move.played_by:
        text += f" ; {move.played_by}"
    steps = text.split(" + ")
    lines = [steps[0]]
    for step in steps[1:]:
        if len(lines[-1]) + len(step) + 3 <= COLUMNS:
            lines[-1] += f" + {step}"
        else:
            lines.append(f"+ {step}")
    return lines


def write_sealed_line(order: SealedLine) -> str:
    """Write the line `# sealed CONTEXT SEAT VERSION HASH SALT TEXT`."""
    seat = seat_letter(order.seat)
    return f"# sealed {order.context} {seat} {order.version} {order.hash} {order.salt} {order.text}"


def _write_result(result: tuple[int, ...] | None) -> str:
    return ", ".join(f"{seat_letter(seat)} {score}" for seat, score in enumerate(result or ()))


def read_record(text: str) -> Record:
    """Read the record in this text; a line among the moves that is no move is kept as BadLine.

    Raises UnreadableRecord.
    """
    lines = _split_lines(text)
    headers = find_headers(lines)
    meta = headers.require("Game", read_game)
    players = headers.require("Players", read_players)
    seats = len(players)
    headers.read("Players", lambda _: require_seats(meta, seats))
    headers.read("Options", lambda options: read_options(meta, options, seats))
    record = Record(
        game=meta.slug,
        version=meta.version,
        players=players,
        options=headers.texts.get("Options", ""),
        seed=headers.read("Seed", partial(read_hex, "Seed")),
        deal=headers.texts.get("Deal"),
        first=headers.read("First", partial(read_first, seats=seats)) or 0,
        match=headers.texts.get("Match"),
        commitment=headers.read("Commitment", partial(read_hex, "Commitment")),
        server_part=headers.read("Server-Part", partial(read_hex, "Server-Part")),
        parts=headers.read("Parts", partial(read_parts, seats=seats)) or (),
        ages=headers.read("Ages", partial(read_ages, meta, seats=seats)) or (),
        moves=tuple(_read_moves(lines, headers.end, seats)),
        result=headers.read("Result", partial(read_result, seats=seats)),
        ending=headers.read("Ending", read_ending),
        sealed=tuple(_read_sealed(lines, seats)),
        header_lines=headers.lines,
        unknown=headers.unknown,
    )
    if record.seed is not None and record.deal is not None:
        raise UnreadableRecord(
            "seed-and-deal", "A record has either Seed: or Deal:, not both. Take one of them out."
        )
    if record.seed is None and record.deal is None and record.commitment is None:
        raise UnreadableRecord("no-seed", "A record needs Seed: or Deal:.")
    return record


def _split_lines(text: str) -> list[str]:
    if len(text) > LONGEST_RECORD:
        raise UnreadableRecord("too-long", "A record has at most {most} characters.", most=LONGEST_RECORD)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > MOST_LINES:
        raise UnreadableRecord("too-long", "A record has at most {most} lines.", most=MOST_LINES)
    for place, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise UnreadableRecord(
                "too-long",
                "line {line} has more than {most} characters. Break a move before a “+”.",
                line=place,
                most=LONGEST_LINE,
            )
        if sign := UNSHOWN.search(line):
            raise UnreadableRecord(
                "unshown",
                "line {line} has a character that cannot be shown, U+{sign}. Take it out.",
                line=place,
                sign=f"{ord(sign[0]):04X}",
            )
    return lines


def _read_moves(lines: list[str], start: int, seats: int) -> Iterable[MoveLine | BadLine]:
    numbered = [
        (place + 1, line)
        for place, line in enumerate(lines)
        if place >= start and line.strip() and not line.lstrip().startswith("#")
    ]
    for number, text in join_continued(numbered):
        found = _MOVE.fullmatch(text.strip())
        seat = read_seat(found[2], seats) if found else None
        if found is None or seat is None:
            yield BadLine(text.strip(), number)
            continue
        move, _, played_by = found[3].rpartition(" ; ")
        yield MoveLine(
            seat=seat,
            text=move.strip() or found[3].strip(),
            played_by=played_by.strip() if move else "",
            ply=int(found[1]),
            line=number,
        )


def _read_sealed(lines: list[str], seats: int) -> Iterable[SealedLine]:
    for place, line in enumerate(lines):
        if not re.match(r"#\s*sealed\s", line):
            continue
        found = _SEALED.fullmatch(line.strip())
        seat = read_seat(found[2], seats) if found else None
        if found is None or seat is None:
            raise UnreadableRecord(
                "bad-sealed",
                "line {line}: a sealed order is written {form}.",
                line=place + 1,
                form="# sealed CONTEXT SEAT VERSION HASH SALT TEXT",
            )
        yield SealedLine(found[1], seat, int(found[3]), found[4], found[5], found[6], place + 1)
