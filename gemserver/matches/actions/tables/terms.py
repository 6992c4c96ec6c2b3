"""The terms on which a table is played, and their bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from games import registry
from games.contract import GameMeta
from gemserver.clocks.control import TimeControl
from gemserver.clubs.models import Club
from gemserver.matches.models import Match, Seat
from gemserver.matches.refusal import Refused

SHORTEST = timedelta(minutes=10)
LONGEST = timedelta(days=90)
"""Bounds of a clock's bank, increment and cap."""
MOST_VACATION_DAYS = 366


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The choices of whoever opens a table, which whoever joins it accepts."""

    game: str
    seats: int
    time_control: TimeControl
    options: Mapping[str, str] = field(default_factory=dict)
    """Those that differ from the default."""
    free_weekends: bool = False
    vacation_days: int | None = None
    """How many days of vacation a player may use in this match; None: all they have."""
    absence: Match.Absence = Match.Absence.DEFAULT
    access: Match.Access = Match.Access.ANYONE
    club: Club | None = None
    """Only its members join, and if it is private nobody else knows of the match."""
    bots: Sequence[Seat.Bot] = ()
    """Those that sit down at once."""
    allows_bots: bool = False
    """Bot accounts may join, as they may where one opens the table."""
    starts_when_full: bool = True
    """The match begins when the last seat is taken, otherwise when a player starts it."""
    is_rated: bool | None = None
    """The result may change ratings; None: it may if a person opens it to anyone but bots, with equal seats."""

    def check(self) -> GameMeta:
        """Return what is known of the game; raises Refused(no-such-game, wrong-seats, bad-clock, bad-vacation)."""
        meta = find_meta(self.game)
        check_seats(meta, self.seats)
        check_clock(self.time_control)
        check_vacation(self.vacation_days)
        return meta


def find_meta(game: str) -> GameMeta:
    """The `GameMeta` of the game with this slug; raises Refused(no-such-game)."""
    if game not in registry.GAMES:
        raise Refused(
            "no-such-game",
            "There is no game {game}; choose one of {games}.",
            game=game,
            games=", ".join(registry.GAMES),
        )
    return registry.GAMES[game].rules.meta


def check_seats(meta: GameMeta, seats: int) -> None:
    """Raise Refused(wrong-seats) for a number of seats that the game is not played with."""
    if not meta.min_seats <= seats <= meta.max_seats:
        raise Refused(
            "wrong-seats",
            "{title} is played with {least} to {most} seats; choose a number in that range.",
            title=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
        )


def check_bots(meta: GameMeta, seats: int, bots: int) -> None:
    """Raise Refused(too-many-bots) unless one of the seats is left to whoever opens the table."""
    if bots >= seats:
        raise Refused(
            "too-many-bots",
            "Of {seats} seats bots can have {most}, as one is yours; ask for fewer bots, or for more seats. {title} is "
            "played with {least} to {largest}.",
            seats=seats,
            most=seats - 1,
            title=meta.title,
            least=meta.min_seats,
            largest=meta.max_seats,
        )


def usual_seats(meta: GameMeta, bots: int = 0) -> int:
    """The seats of a table for which no number was chosen: the fewest in which the bots and their host find room."""
    return min(max(meta.min_seats, bots + 1), meta.max_seats)


def options_text(meta: GameMeta, options: Mapping[str, str], seats: int) -> str:
    """The `Options:` line with every option of the game, defaults filled in; raises Refused(no-such-option)."""
    allowed = {option.name: option.values_for(seats) for option in meta.options}
    for name, value in options.items():
        if name in allowed and value not in allowed[name]:
            raise Refused(
                "no-such-option",
                "{title} has no option {name}={value}; {name} is one of: {values}.",
                title=meta.title,
                name=name,
                value=value,
                values=", ".join(allowed[name]),
            )
        if name not in allowed:
            raise Refused(
                "no-such-option",
                "{title} has no option {name}={value}; leave it out.",
                title=meta.title,
                name=name,
                value=value,
            )
    chosen = {name: options.get(name, values[0]) for name, values in allowed.items()}
    return " ".join(f"{name}={value}" for name, value in chosen.items())


def write_terms(terms: Terms, meta: GameMeta) -> dict[str, Any]:
    """The fields of `Match` that hold the terms. Raises Refused(no-such-option)."""
    return {
        "options": options_text(meta, terms.options, terms.seats),
        "seat_count": terms.seats,
        "bank": terms.time_control.bank,
        "increment": terms.time_control.increment,
        "cap": terms.time_control.cap,
        "free_weekends": terms.free_weekends,
        "vacation_days": terms.vacation_days,
        "absence": terms.absence,
        "access": terms.access,
        "starts_when_full": terms.starts_when_full,
        "club": terms.club,
    }


def check_clock(control: TimeControl) -> None:
    """Raise Refused(bad-clock) for a clock that is too short or too long for a table."""
    spans = (control.bank, control.increment, control.cap)
    if not all(SHORTEST <= span <= LONGEST for span in spans) or control.bank > control.cap:
        raise Refused(
            "bad-clock",
            "Bank, increment and cap are each {least} minutes to {most} days, and the cap is no less than the bank.",
            least=SHORTEST // timedelta(minutes=1),
            most=LONGEST.days,
        )


def check_vacation(vacation_days: int | None) -> None:
    """Raise Refused(bad-vacation) for a number of days that a table cannot allow."""
    if vacation_days is not None and not 0 <= vacation_days <= MOST_VACATION_DAYS:
        raise Refused(
            "bad-vacation",
            "Give 0 to {most} days of vacation, or none for all that players have.",
            most=MOST_VACATION_DAYS,
        )
