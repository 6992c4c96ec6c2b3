"""The page of a deal: commitments and parts before the end, and afterwards everything behind them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from games import deal
from gemserver.matches import replay
from gemserver.matches.log import notices
from gemserver.matches.models import Match, Seat
from gemserver.matches.words.contests import name_contest
from gemserver.matches.words.deals import came_after_promise, has_given, is_told, say_who_chose


@dataclass(frozen=True, slots=True)
class PartLine:
    """A seat's part: whether its player gave it, and whether that was after the promise (None: not recorded).

    `default`, once the secret is public: the text whose fingerprint is the default part.
    """

    seat: Seat
    is_given: bool
    is_after: bool | None
    default: str = ""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The SHA-256 of a sealed order or pick; `version` counts those of the same player for the same contest."""

    name: str
    contest: str
    version: int
    hash: str


@dataclass(frozen=True)
class DealPage:
    """The page of a deal, the same for every reader."""

    match: Match

    @property
    def is_told(self) -> bool:
        return is_told(self.match)

    @property
    def committed(self) -> str:
        """The text that the commitment covers. Only once the secret is public."""
        match = self.match
        return f"{match.code}|{match.game} {match.rules_version}|{match.options}|{match.server_part}"

    @cached_property
    def seats(self) -> list[Seat]:
        return self.match.read_seats()

    @property
    def parts(self) -> list[PartLine]:
        match = self.match
        return [
            PartLine(
                seat,
                has_given(match, seat),
                came_after_promise(match, seat),
                f"{match.server_part}|{seat.index}" if self.is_told else "",
            )
            for seat in self.seats
        ]

    @property
    def who_chose(self) -> str:
        """Says how far the deal can be trusted, by the parts that were given."""
        return say_who_chose(self.match, self.seats)

    @property
    def shown_before(self) -> str:
        """The fingerprint of the secret that was shown before the table was opened; empty if none was."""
        match = self.match
        is_early = match.promised_at is not None and match.promised_at < match.created_at
        return deal.fingerprint(match.server_part) if is_early else ""

    @property
    def joined(self) -> str:
        """The text whose fingerprint is the seed. Only once the match is over."""
        return "|".join([self.match.server_part, *(seat.part for seat in self.seats)])

    @cached_property
    def fingerprints(self) -> list[Fingerprint]:
        """The fingerprints of all that was ever laid face down, in that order."""
        names = [seat.name for seat in self.seats]
        found = self.match.notices.filter(kind__in=notices.PROOFS).order_by("pk")
        return [
            Fingerprint(
                names[notice.data["player"]],
                name_contest(notice.data["context"]),
                notice.data["version"],
                notice.data["hash"],
            )
            for notice in found
        ]

    @cached_property
    def seed(self) -> str:
        return replay.seed(self.match)
