"""Reads and writes archives of finished matches: JSON lines, one match each, mostly compressed by gzip.

A row has the number of the match in this file, who sat where, and the record, from which all else follows:

>>> from games.record import MoveLine
>>> record = Record("gem", 1, ("Ana", "player 1"), seed="0" * 64, moves=(MoveLine(1, "resign"),))
>>> row = read_row(write_row(Row(1, (Player("Ana"), Player(number=1)), is_rated=False, record=record)))
>>> row.number, row.players[1].shown, row.record.moves[0].text
(1, 'player 1', 'resign')
>>> check(row).ended
True
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, cast

from games.contract import GameError
from games.record import LONGEST_RECORD, UNSHOWN, Record, read_record, write_record
from games.replay import Replay, replay

LONGEST_ROW = 2 * LONGEST_RECORD
"""Bytes of one line."""
MOST_BRACKETS = 1000
"""That begin an object or a list of one row: a small file can unpack to millions of them, of 64 bytes and more each."""
MOST_EMPTY = 1000
"""Lines without a row: a small file can unpack to a hundred million of them."""
_GZIP = b"\x1f\x8b"


class UnreadableArchive(GameError):
    """The file is no archive, or a row of it is none."""

    kind = "unreadable"


@dataclass(frozen=True, slots=True)
class Player:
    """The holder of a seat at the end: somebody who agreed to be named, somebody by number, or a bot of the server."""

    name: str = ""
    number: int = 0
    """Names one person throughout a file; in another file it is somebody else's."""
    bot: str = ""
    """The strength of a bot of the server: `easy`."""
    is_program: bool = False
    """True for a program that a player has written."""

    @property
    def shown(self) -> str:
        """The name in the record."""
        if self.bot:
            return f"{self.bot} bot"
        name = self.name or f"player {self.number}"
        return f"{name} (bot)" if self.is_program and not name.endswith("(bot)") else name

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"name": self.name} if self.name else {"number": self.number}
        if self.bot:
            return {"bot": self.bot}
        return {**found, "program": True} if self.is_program else found


@dataclass(frozen=True, slots=True)
class Row:
    """A finished match of an archive."""

    number: int
    players: tuple[Player, ...]
    is_rated: bool
    record: Record


def write_row(row: Row) -> str:
    """Write the row as one line of JSON without its end."""
    record = row.record
    return json.dumps(
        {
            "number": row.number,
            "game": record.game,
            "rules": record.version,
            "players": [player.as_json() for player in row.players],
            "rated": row.is_rated,
            "result": list(record.result or ()),
            "ending": record.ending,
            "record": write_record(record),
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def read_row(line: str) -> Row:
    """Read one line. Raises UnreadableArchive, UnreadableRecord."""
    try:
        if line.count("{") + line.count("[") > MOST_BRACKETS:
            raise ValueError
        found = json.loads(line)
        players = tuple(
            Player(
                name=str(player.get("name", "")),
                number=int(player.get("number", 0)),
                bot=str(player.get("bot", "")),
                is_program=player.get("program") is True,
            )
            for player in found["players"]
        )
        row = Row(int(found["number"]), players, found["rated"] is True, read_record(str(found["record"])))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise UnreadableArchive(
            "row", "This is no row of an archive: a JSON object with number, players, rated and record."
        ) from error
    if any(UNSHOWN.search(player.name + player.bot) for player in row.players):
        raise UnreadableArchive("unshown", "The name of a player has characters that cannot be shown.")
    if len(row.players) != len(row.record.players):
        raise UnreadableArchive(
            "players",
            "{row} players are named beside a record of {record}.",
            row=len(row.players),
            record=len(row.record.players),
        )
    return row


def read_rows(file: IO[bytes]) -> Iterator[Row]:
    """Read the rows of a file, compressed or not, one after the other.

    Raises UnreadableArchive, UnreadableRecord, whose message begins with the number of the line.
    """
    for number, line in enumerate(_read_lines(file), start=1):
        try:
            yield read_row(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise UnreadableArchive("utf-8", "Line {line} is not written in UTF-8.", line=number) from error
        except GameError as error:
            raise UnreadableArchive(
                "line",
                "Line {line} of the archive: {reason}",
                line=number,
                reason=error.message,
            ) from error


def _read_lines(file: IO[bytes]) -> Iterator[bytes]:
    begin = file.read(2)
    file.seek(0)
    source = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if begin == _GZIP else file
    empty = 0
    try:
        while line := source.readline(LONGEST_ROW + 1):
            if len(line) > LONGEST_ROW:
                raise UnreadableArchive("too-long", "A row has at most {most} bytes.", most=LONGEST_ROW)
            if line.strip():
                yield line
                continue
            empty += 1
            if empty > MOST_EMPTY:
                raise UnreadableArchive(
                    "empty-lines",
                    "The file has more than {most} empty lines; it is no archive.",
                    most=MOST_EMPTY,
                )
    except (EOFError, OSError, zlib.error) as error:
        raise UnreadableArchive("damaged", "The file is damaged or cut off; fetch it again.") from error


def write_rows(rows: Iterable[Row], file: IO[bytes]) -> int:
    """Write the rows compressed and return their number; the same rows always make the same bytes."""
    written = 0
    with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as compressed:
        for row in rows:
            compressed.write(f"{write_row(row)}\n".encode())
            written += 1
    return written


def check(row: Row) -> Replay:
    """Replay the match to its end; `replay` holds it against its result.

    Raises UnreadableArchive for the first thing that does not fit.
    """
    played = replay(row.record)
    if played.refusal is not None:
        refused = played.refusal
        raise UnreadableArchive(
            "refused",
            "Match {number}: line {line}: {kind} ({code}): {reason}",
            number=row.number,
            line=refused.line,
            kind=refused.error.kind,
            code=refused.error.code,
            reason=refused.error.message,
        )
    if not played.ended:
        raise UnreadableArchive("unfinished", "Match {number} stops before its end.", number=row.number)
    return played
