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

from games.contract import FIRST_SEAT, GameError, GameMeta, Seat, seat_letter
from games.prose import COLUMNS
from games.reading import echo, join_continued, lower
from games.registry import GAMES

ENDINGS = ("played out", "resigned", "adjudicated")
RESIGN = "resign"
MOST_LINES = 20_000
LONGEST_LINE = 4_000
"""Characters; the longest sealed order has some 2200."""
UNSHOWN = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that steer a terminal, or the direction of writing, instead of being shown; halves of characters."""
LONGEST_RECORD = 8_000_000
"""Characters of the whole text; the longest match, with each order replaced many times, has a fraction of that."""

_HEADERS = (
    "Game",
    "Match",
    "Players",
    "Options",
    "Ages",
    "Commitment",
    "Server-Part",
    "Parts",
    "Seed",
    "Deal",
    "First",
    "Result",
    "Ending",
)
_HEADER = re.compile(r"([A-Za-z][\w-]*)\s*:\s*(.*)")
_HEX = re.compile(r"[0-9a-f]{64}")
_MOVE = re.compile(r"([0-9]{1,6})\s+([A-Za-z])\s+(\S.*)")
_SEALED = re.compile(r"#\s*sealed (\S.*) ([A-Z]) ([0-9]{1,6}) ([0-9a-f]{64}) ([0-9a-f]{32}) (\S.*)")


class UnreadableRecord(GameError):
    """The text is no match record, or not one that can be replayed now."""

    kind = "unreadable"


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


def read_hex(name: str, text: str) -> str:
    """Return the text, a seed or a hash that `name` gives. Raises UnreadableRecord (`not-hex`)."""
    if not _HEX.fullmatch(text):
        raise UnreadableRecord("not-hex", "{name}: must be 64 lower-case hex digits.", name=name)
    return text


def read_options(meta: GameMeta, text: str, seats: int) -> dict[str, str]:
    """Read the options named in the text, defaults filled in but for `FIRST_SEAT`; a name alone means `yes`.

    Raises UnreadableRecord (`unknown-option`, `bad-option`, `option-twice`).

    >>> from games.registry import game
    >>> gem = game("gem").rules.meta
    >>> read_options(gem, "", seats=3), read_options(gem, "pace=sealed", seats=3)
    ({'pace': 'table'}, {'pace': 'sealed'})
    """
    chosen: dict[str, str] = {}
    defaults = {option.name: option.values_for(seats) for option in meta.options}
    allowed = {**defaults, FIRST_SEAT.name: FIRST_SEAT.values}
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in allowed:
            raise UnreadableRecord(
                "unknown-option",
                "{game} has no option “{name}”. Leave it out.",
                game=meta.title,
                name=echo(name),
            )
        if name in chosen:
            raise UnreadableRecord("option-twice", "Option {name} stands twice. Leave one out.", name=name)
        if (value or "yes") not in allowed[name]:
            raise UnreadableRecord(
                "bad-option",
                "Option {name} cannot be “{value}”. It can be: {values}.",
                name=name,
                value=echo(value or "yes"),
                values=", ".join(allowed[name]),
            )
        chosen[name] = value or "yes"
    return {**{name: values[0] for name, values in defaults.items()}, **chosen}


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
    headers, header_lines, unknown, start = _read_headers(lines)
    version_text, players = _require(headers, "Game").split(), _read_players(headers, header_lines)
    meta = _find_meta(version_text, len(players))
    _check_options(meta, headers, header_lines, len(players))
    record = Record(
        game=meta.slug,
        version=meta.version,
        players=players,
        options=headers.get("Options", ""),
        seed=_read_hex(headers, "Seed"),
        deal=headers.get("Deal"),
        first=_read_first(headers, len(players)),
        match=headers.get("Match"),
        commitment=_read_hex(headers, "Commitment"),
        server_part=_read_hex(headers, "Server-Part"),
        parts=_read_parts(headers, len(players)),
        ages=_read_ages(meta, headers, header_lines, len(players)),
        moves=tuple(_read_moves(lines, start, len(players))),
        result=_read_result(headers, len(players)),
        ending=_read_ending(headers),
        sealed=tuple(_read_sealed(lines, len(players))),
        header_lines=header_lines,
        unknown=unknown,
    )
    if record.seed is not None and record.deal is not None:
        raise UnreadableRecord("seed-and-deal", "A record has either Seed: or Deal:, not both.")
    if record.seed is None and record.deal is None and record.commitment is None:
        raise UnreadableRecord("no-seed", "A record needs Seed: or Deal:.")
    return record


def _split_lines(text: str) -> list[str]:
    if len(text) > LONGEST_RECORD:
        raise UnreadableRecord("too-long", "A record has at most {most} characters.", most=LONGEST_RECORD)
    lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
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


def _read_headers(lines: list[str]) -> tuple[dict[str, str], dict[str, int], tuple[str, ...], int]:
    """Values and line numbers by header, unknown names, and the place of the first line after them."""
    names = {name.lower(): name for name in _HEADERS}
    headers: dict[str, str] = {}
    numbers: dict[str, int] = {}
    unknown: list[str] = []
    for place, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            continue
        if not line.strip():
            if headers:
                return headers, numbers, tuple(unknown), place
            continue
        found = _HEADER.fullmatch(line.strip())
        if found is None:
            raise UnreadableRecord(
                "bad-header", "line {line} is no header of a match record.", line=place + 1
            )
        name = names.get(found[1].lower())
        if name is None:
            unknown.append(found[1])
        elif name in headers:
            raise UnreadableRecord(
                "twice",
                "line {line}: {name}: stands in line {first} already. Leave one out.",
                line=place + 1,
                name=name,
                first=numbers[name],
            )
        else:
            headers[name] = found[2]
            numbers[name] = place + 1
    return headers, numbers, tuple(unknown), len(lines)


def _require(headers: Mapping[str, str], name: str) -> str:
    if not headers.get(name):
        raise UnreadableRecord("missing-header", "The header {name}: is missing.", name=name)
    return headers[name]


def _read_players(headers: Mapping[str, str], numbers: Mapping[str, int]) -> tuple[str, ...]:
    players = tuple(name.strip() for name in _require(headers, "Players").split("|"))
    if not all(players):
        raise UnreadableRecord(
            "no-name",
            "line {line}: a player has no name. Write one for every seat, as in Players: Ana | Bob.",
            line=numbers["Players"],
        )
    return players


def _check_options(
    meta: GameMeta, headers: Mapping[str, str], numbers: Mapping[str, int], seats: int
) -> None:
    try:
        read_options(meta, headers.get("Options", ""), seats)
    except UnreadableRecord as error:
        template = "line {line}: " + error.message.template
        found = {**error.message.params, **error.message.words}
        raise UnreadableRecord(error.code, template, line=numbers["Options"], **found) from error


def _find_meta(words: list[str], seats: int) -> GameMeta:
    if len(words) != 2:
        raise UnreadableRecord(
            "unknown-game", "Game: names a game and its version, for example {example}.", example="gem 1"
        )
    if words[0] not in GAMES:
        raise UnreadableRecord(
            "unknown-game",
            "There is no game “{slug}”. The games are: {slugs}.",
            slug=echo(words[0]),
            slugs=", ".join(GAMES),
        )
    meta = GAMES[words[0]].rules.meta
    if words[1] != str(meta.version):
        raise UnreadableRecord(
            "unknown-version",
            "Rules version {version} of {game} is not known here, only {known}. Read it where that version is.",
            version=echo(words[1]),
            game=meta.title,
            known=meta.version,
        )
    if not meta.min_seats <= seats <= meta.max_seats:
        raise UnreadableRecord(
            "bad-seats",
            "{game} is for {least} to {most} players, not {seats}.",
            game=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
            seats=seats,
        )
    return meta


def _read_hex(headers: Mapping[str, str], name: str) -> str | None:
    return read_hex(name, headers[name]) if name in headers else None


def _read_first(headers: Mapping[str, str], seats: int) -> Seat:
    text = headers.get("First", "A")
    seat = _read_seat(text, seats)
    if seat is None:
        raise UnreadableRecord("bad-first", "First: must be the letter of a seat.")
    return seat


def _read_seat(text: str, seats: int) -> Seat | None:
    seat = ord(text.upper()) - ord("A") if len(text) == 1 and text.isascii() else -1
    return seat if 0 <= seat < seats else None


def _read_parts(headers: Mapping[str, str], seats: int) -> tuple[str, ...]:
    parts = tuple(headers.get("Parts", "").split())
    if parts and (len(parts) != seats or not all(_HEX.fullmatch(part) for part in parts)):
        raise UnreadableRecord("bad-parts", "Parts: must have 64 lower-case hex digits for every seat.")
    return parts


def _read_ages(
    meta: GameMeta, headers: Mapping[str, str], numbers: Mapping[str, int], seats: int
) -> tuple[int, ...]:
    words = headers.get("Ages", "").split()
    if "Ages" in headers and not meta.has_ages:
        raise UnreadableRecord(
            "bad-ages",
            "line {line}: ages decide nothing in {game}. Take Ages: out.",
            line=numbers["Ages"],
            game=meta.title,
        )
    if words and (len(words) != seats or not all(re.fullmatch(r"[0-9]{1,3}", word) for word in words)):
        raise UnreadableRecord("bad-ages", "Ages: must have a number for every seat.")
    return tuple(int(word) for word in words)


def _read_result(headers: Mapping[str, str], seats: int) -> tuple[int, ...] | None:
    if "Result" not in headers:
        return None
    words = headers["Result"].replace(",", " ").split()
    letters, scores = words[::2], words[1::2]
    if (
        letters != [seat_letter(seat) for seat in range(seats)]
        or len(scores) != seats
        or not all(re.fullmatch(r"-?[0-9]{1,6}", score) for score in scores)
    ):
        raise UnreadableRecord("bad-result", "Result: must have a score for every seat, as in A 21, B 25.")
    return tuple(map(int, scores))


def _read_ending(headers: Mapping[str, str]) -> str | None:
    ending = headers.get("Ending")
    if ending is not None and ending not in ENDINGS:
        raise UnreadableRecord("bad-ending", "Ending: must be one of: {endings}.", endings=", ".join(ENDINGS))
    return ending


def _read_moves(lines: list[str], start: int, seats: int) -> Iterable[MoveLine | BadLine]:
    numbered = [
        (place + 1, line)
        for place, line in enumerate(lines)
        if place >= start and line.strip() and not line.lstrip().startswith("#")
    ]
    for number, text in join_continued(numbered):
        found = _MOVE.fullmatch(text.strip())
        seat = _read_seat(found[2], seats) if found else None
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
        seat = _read_seat(found[2], seats) if found else None
        if found is None or seat is None:
            raise UnreadableRecord(
                "bad-sealed",
                "line {line}: a sealed order is written {form}.",
                line=place + 1,
                form="# sealed CONTEXT SEAT VERSION HASH SALT TEXT",
            )
        yield SealedLine(found[1], seat, int(found[3]), found[4], found[5], found[6], place + 1)
