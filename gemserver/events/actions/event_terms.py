"""The terms on which an event is played, and their bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from games import registry
from gemserver.clubs.models import Club
from gemserver.events.arithmetic.budget import offered_lengths
from gemserver.events.arithmetic.divisions import fewest_players
from gemserver.events.arithmetic.schedules import MOST_PLAYERS
from gemserver.events.arithmetic.tables import TieBreak
from gemserver.events.models import Event
from gemserver.lib.text.plain import clean
from gemserver.matches.actions.tables.terms import check_seats, find_meta, options_text
from gemserver.matches.refusal import Refused

MOST_ROUNDS = 9
USUAL_DIVISION = 7
"""Players of a division, about; schedules of so many are even at tables of two, three, four, six and seven."""
MOST_DAYS_AHEAD = 180

RESERVED = frozenset({"new"})
"""Short names that are addresses of pages already."""

_SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_OF_SWISS = frozenset({TieBreak.BUCHHOLZ_CUT, TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER})
USUAL_TIE_BREAKS = (TieBreak.FIRSTS, TieBreak.HEAD_TO_HEAD, TieBreak.SCORE_SHARE, TieBreak.LOT)
SWISS_TIE_BREAKS = (TieBreak.BUCHHOLZ_CUT, TieBreak.BUCHHOLZ, TieBreak.SONNEBORN_BERGER, TieBreak.LOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTerms:
    """The terms of an event: its organiser chooses them, its entrants accept them."""

    slug: str
    name: str
    about: str = ""
    game: str
    seats: int
    options: Mapping[str, str] = field(default_factory=dict)
    """Those that differ from the default. Where the game has a sealed pace and these name none, that is played."""
    format: Event.Format
    season_days: int | None = None
    """Of all rounds together; None: the shortest that is offered."""
    starts_at: datetime
    """When the first season begins."""
    tie_breaks: Sequence[str] = ()
    """By name, in order; without any the usual ones of the format. Lots are always drawn last."""
    division_size: int | None = None
    """About so many players; None: `USUAL_DIVISION`, or what a table takes."""
    exchanged: int = 0
    """So many are promoted from a division of a league, and as many relegated."""
    rounds: int = 1
    entry_days: int = 7
    """Days between two seasons, for entries."""
    is_rated: bool = True
    club: Club | None = None
    """Only its members play."""

    def fields(self, now: datetime) -> dict[str, Any]:
        """Check the terms, and return the fields of their `Event`, with what is usual where nothing is chosen.

        Raises Refused(bad-event-name, no-such-game, wrong-seats, no-such-option, bad-format, bad-division,
        bad-tie-breaks, bad-length, bad-dates).
        """
        for fault in self.find_faults(now).values():
            raise fault
        options = self._all_options
        return {
            "slug": self.slug,
            "name": " ".join(self.name.split()),
            "about": clean(self.about).strip(),
            "game": self.game,
            "seats": self.seats,
            "options": options,
            "format": self.format,
            "tie_breaks": _check_tie_breaks(self.tie_breaks, self.format),
            "division_size": self._any_division_size,
            "exchanged": self.exchanged,
            "rounds": self.rounds,
            "season_days": _find_length(self.game, self.seats, options, self.season_days, self.rounds),
            "entry_days": self.entry_days,
            "is_rated": self.is_rated,
            "club": self.club,
        }

    def find_faults(self, now: datetime) -> dict[str, Refused]:
        """All that is wrong with the terms, by the name of the term, the first thing first.

        Where there is no such game, or no such table, only what comes before is told beside it.
        """
        checks: dict[str, Callable[[], object]] = {
            "slug": lambda: _check_name(self.slug, " ".join(self.name.split())),
            "game": lambda: find_meta(self.game),
            "seats": lambda: check_seats(find_meta(self.game), self.seats),
            "options": lambda: options_text(find_meta(self.game), self._all_options, self.seats),
            "rounds": lambda: _check_rounds(self.format, self.seats, self.rounds),
            "division_size": lambda: _check_division(self.seats, self._any_division_size),
            "exchanged": lambda: _check_exchanged(self.format, self._any_division_size, self.exchanged),
            "tie_breaks": lambda: _check_tie_breaks(self.tie_breaks, self.format),
            "season_days": lambda: _find_length(
                self.game, self.seats, self._all_options, self.season_days, self.rounds
            ),
            "starts_at": lambda: _check_dates(self.starts_at, self.entry_days, now),
        }
        faults: dict[str, Refused] = {}
        for name, check in checks.items():
            try:
                check()
            except Refused as refused:
                faults[name] = refused
                if name in ("game", "seats"):
                    break
        return faults

    @property
    def _all_options(self) -> dict[str, str]:
        options = dict(self.options)
        if registry.game(self.game).sealed_pace:
            options.setdefault("pace", "sealed")
        return options

    @property
    def _any_division_size(self) -> int:
        if self.division_size is None:
            return max(USUAL_DIVISION, fewest_players(self.seats))
        return self.division_size


def _check_name(slug: str, name: str) -> None:
    is_good = 1 <= len(name) <= 60 and name.isprintable() and "://" not in name  # it stands in our own mails
    if not _SLUG.fullmatch(slug) or slug in RESERVED or len(slug) > 30 or not is_good:
        raise Refused(
            "bad-event-name",
            "Give the event a name of at most 60 letters, and a short one of a to z, 0 to 9 and hyphens, such as"
            " winter-league.",
        )


def _check_rounds(format: Event.Format, seats: int, rounds: int) -> None:
    is_swiss = format == Event.Format.SWISS
    if is_swiss and (seats != 2 or not 2 <= rounds <= MOST_ROUNDS):
        raise Refused(
            "bad-format", "A Swiss tournament has two seats and 2 to {most} rounds.", most=MOST_ROUNDS
        )
    if not is_swiss and rounds != 1:
        raise Refused(
            "bad-format", "Only a Swiss tournament has rounds; all others play all fixtures at once."
        )


def _check_division(seats: int, division_size: int) -> None:
    least = fewest_players(seats)
    if not least <= division_size <= MOST_PLAYERS:
        raise Refused(
            "bad-division",
            "A division at tables of {seats} has {least} to {most} players; choose a size in that range.",
            seats=seats,
            least=least,
            most=MOST_PLAYERS,
        )


def _check_exchanged(format: Event.Format, division_size: int, exchanged: int) -> None:
    most = division_size // 2 if format == Event.Format.LEAGUE else 0
    if not 0 <= exchanged <= most:
        raise Refused(
            "bad-division", "At most {most} players are promoted here, and as many relegated.", most=most
        )


def _check_tie_breaks(tie_breaks: Sequence[str], format: Event.Format) -> list[str]:
    is_swiss = format == Event.Format.SWISS
    chosen = list(tie_breaks) or [str(one) for one in (SWISS_TIE_BREAKS if is_swiss else USUAL_TIE_BREAKS)]
    allowed = [str(one) for one in TieBreak if is_swiss or one not in _OF_SWISS]
    if len(set(chosen)) != len(chosen) or not set(chosen) <= set(allowed):
        raise Refused(
            "bad-tie-breaks", "Name each tie-break once, of these: {names}.", names=", ".join(allowed)
        )
    return [*(one for one in chosen if one != TieBreak.LOT), str(TieBreak.LOT)]


def _find_length(
    game: str, seats: int, options: Mapping[str, str], season_days: int | None, rounds: int
) -> int:
    """The worst case, all budgets used up one after the other, ends before the season; most people finish sooner."""
    lengths = offered_lengths(game, seats, is_sealed=options.get("pace") == "sealed")
    if season_days is None:
        return rounds * lengths[0]
    if season_days not in [rounds * days for days in lengths]:
        raise Refused(
            "bad-length",
            "With {seats} seats this game needs a season of {lengths} days, so that 99 of 100 fixtures are played to"
            " their end by people; choose one of these.",
            seats=seats,
            lengths=", ".join(str(rounds * days) for days in lengths),
        )
    return season_days


def _check_dates(starts_at: datetime, entry_days: int, now: datetime) -> None:
    if not now < starts_at <= now + timedelta(days=MOST_DAYS_AHEAD) or not 1 <= entry_days <= MOST_DAYS_AHEAD:
        raise Refused(
            "bad-dates",
            "Let the first season start within {most} days from now, and leave 1 to {most} days between seasons.",
            most=MOST_DAYS_AHEAD,
        )
