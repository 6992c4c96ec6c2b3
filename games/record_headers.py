"""The headers of a match record: where they stand among its lines, and what each of them may say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from games.contract import FIRST_SEAT, GameError, GameMeta, Message, Seat, seat_letter
from games.reading import echo, lower, upper
from games.registry import GAMES

T = TypeVar("T")
E = TypeVar("E", bound=GameError)

ENDINGS = ("played out", "resigned", "adjudicated")

_NAMES = (
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
_IN_LINE = Message("line {line}: {reason}")
_HEADER = re.compile(r"([A-Za-z][\w-]*)\s*:\s*(.*)")
_HEX = re.compile(r"[0-9a-f]{64}")


class UnreadableRecord(GameError):
    """The text is no match record, or not one that can be replayed now."""

    kind = "unreadable"


def in_line(number: int, error: E) -> E:
    """Let the error name the line that it is about; 0 is the number of a line that was never written."""
    if not number:
        return error
    return type(error)(error.code, _IN_LINE.template, line=number, reason=error.message)


@dataclass(frozen=True, slots=True)
class Headers:
    """The texts of a record's headers and the numbers of their lines, by their names."""

    texts: Mapping[str, str]
    lines: Mapping[str, int]
    unknown: tuple[str, ...]
    """The names of headers that are not known here."""
    end: int
    """The place, from 0, of the first line behind them."""

    def read(self, name: str, read: Callable[[str], T]) -> T | None:
        """Read the text of a header; None if there is none. Raises UnreadableRecord, which names the line."""
        if name not in self.texts:
            return None
        try:
            return read(self.texts[name])
        except UnreadableRecord as error:
            raise in_line(self.lines[name], error) from error

    def require(self, name: str, read: Callable[[str], T]) -> T:
        """Like `read`, of a header that no record lacks. Raises UnreadableRecord (`missing-header`) too."""
        found = self.read(name, read) if self.texts.get(name) else None
        if found is None:
            raise UnreadableRecord(
                "missing-header",
                "The header {name}: is missing. A record begins with Game: and Players:, each on its own line.",
                name=name,
            )
        return found


def find_headers(lines: Sequence[str]) -> Headers:
    """Find the headers at the beginning of a record. Raises UnreadableRecord (`bad-header`, `twice`)."""
    names = {name.lower(): name for name in _NAMES}
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}
    unknown: list[str] = []
    for place, line in enumerate(lines):
        if line.lstrip().startswith("#"):
            continue
        if not line.strip():
            if texts:
                return Headers(texts, numbers, tuple(unknown), place)
            continue
        found = _HEADER.fullmatch(line.strip())
        if found is None:
            raise UnreadableRecord(
                "bad-header",
                "line {line} is no header, such as {example}. Each stands on one line, and an empty line "
                "before the moves.",
                line=place + 1,
                example="Players: Ana | Bob",
            )
        name = names.get(found[1].lower())
        if name is None:
            unknown.append(found[1])
        elif name in texts:
            raise UnreadableRecord(
                "twice",
                "line {line}: {name}: stands in line {first} already. Leave one out.",
                line=place + 1,
                name=name,
                first=numbers[name],
            )
        else:
            texts[name] = found[2]
            numbers[name] = place + 1
    return Headers(texts, numbers, tuple(unknown), len(lines))


def read_hex(name: str, text: str) -> str:
    """Return the text, a seed or a hash that `name` gives. Raises UnreadableRecord (`not-hex`)."""
    if not _HEX.fullmatch(text):
        raise UnreadableRecord("not-hex", "{name}: must be 64 lower-case hex digits.", name=name)
    return text


def read_players(text: str) -> tuple[str, ...]:
    """Read the names of the players, in the order of their seats. Raises UnreadableRecord (`no-name`)."""
    players = tuple(name.strip() for name in text.split("|"))
    if not all(players):
        raise UnreadableRecord(
            "no-name", "A player has no name. Write one for every seat, as in Players: Ana | Bob."
        )
    return players


def read_game(text: str) -> GameMeta:
    """Find the game by slug and version of its rules. Raises UnreadableRecord (`unknown-game`, `unknown-version`)."""
    words = text.split()
    if len(words) != 2:
        raise UnreadableRecord(
            "unknown-game", "Game: names a game and its version, for example {example}.", example="gem 1"
        )
    slug, version = lower(words[0]), words[1]
    if slug not in GAMES:
        raise UnreadableRecord(
            "unknown-game",
            "There is no game “{slug}”. The games are: {slugs}.",
            slug=echo(words[0]),
            slugs=", ".join(GAMES),
        )
    meta = GAMES[slug].rules.meta
    if version != str(meta.version):
        raise UnreadableRecord(
            "unknown-version",
            "Rules version {version} of {game} is not known here, only {known}. Read it where that version is.",
            version=echo(version),
            game=meta.title,
            known=meta.version,
        )
    return meta


def require_seats(meta: GameMeta, seats: int) -> None:
    """Raise UnreadableRecord (`bad-seats`) if the game is not for so many."""
    if not meta.min_seats <= seats <= meta.max_seats:
        raise UnreadableRecord(
            "bad-seats",
            "{game} is for {least} to {most} players, not {seats}.",
            game=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
            seats=seats,
        )


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


def read_first(text: str, seats: int) -> Seat:
    """Read the letter of the seat that moves first. Raises UnreadableRecord (`bad-first`)."""
    seat = read_seat(text, seats)
    if seat is None:
        raise UnreadableRecord("bad-first", "First: must be the letter of a seat.")
    return seat


def read_seat(text: str, seats: int) -> Seat | None:
    """The seat of this letter, small or large; None if there is none."""
    seat = ord(text.upper()) - ord("A") if len(text) == 1 and text.isascii() else -1
    return seat if 0 <= seat < seats else None


def read_parts(text: str, seats: int) -> tuple[str, ...]:
    """Read the players' parts of the seed. Raises UnreadableRecord (`bad-parts`)."""
    parts = tuple(text.split())
    if parts and (len(parts) != seats or not all(_HEX.fullmatch(part) for part in parts)):
        raise UnreadableRecord("bad-parts", "Parts: must have 64 lower-case hex digits for every seat.")
    return parts


def read_ages(meta: GameMeta, text: str, seats: int) -> tuple[int, ...]:
    """Read the ages of the players, for a game whose first player they decide. Raises UnreadableRecord (`bad-ages`)."""
    words = text.split()
    if not meta.has_ages:
        raise UnreadableRecord("bad-ages", "Ages decide nothing in {game}. Take Ages: out.", game=meta.title)
    if words and (len(words) != seats or not all(re.fullmatch(r"[0-9]{1,3}", word) for word in words)):
        raise UnreadableRecord("bad-ages", "Ages: must have a number for every seat.")
    return tuple(int(word) for word in words)


def read_result(text: str, seats: int) -> tuple[int, ...]:
    """Read the scores, in the order of the seats. Raises UnreadableRecord (`bad-result`)."""
    words = text.replace(",", " ").split()
    letters, scores = words[::2], words[1::2]
    if (
        [upper(letter) for letter in letters] != [seat_letter(seat) for seat in range(seats)]
        or len(scores) != seats
        or not all(re.fullmatch(r"-?[0-9]{1,6}", score) for score in scores)
    ):
        raise UnreadableRecord("bad-result", "Result: must have a score for every seat, as in A 21, B 25.")
    return tuple(map(int, scores))


def read_ending(text: str) -> str:
    """Read how the match has ended. Raises UnreadableRecord (`bad-ending`)."""
    ending = lower(text)
    if ending not in ENDINGS:
        raise UnreadableRecord("bad-ending", "Ending: must be one of: {endings}.", endings=", ".join(ENDINGS))
    return ending
