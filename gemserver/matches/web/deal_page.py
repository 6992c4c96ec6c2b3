"""What the page of a deal shows: promises and parts before the end, and afterwards all that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from games import deal
from gemserver.matches import replay
from gemserver.matches.models import Match, Seat


@dataclass(frozen=True, slots=True)
class PartLine:
    """A seat with its part; `default` is the text of which a part that nobody gave is the fingerprint.

    `is_given`: whether its player gave it; None as long as telling it would tell about the secret.
    """

    seat: Seat
    is_given: bool | None = None
    default: str = ""


@dataclass(frozen=True)
class DealPage:
    """The same for every reader."""

    match: Match

    @property
    def is_told(self) -> bool:
        """Whether the secret is public: the match is over, or was cancelled before it began."""
        return self.match.is_over or self.match.status == Match.Status.CANCELLED

    @property
    def committed(self) -> str:
        """The text that the commitment covers. Only once the secret is public."""
        match = self.match
        return f"{match.code}|{match.game} {match.rules_version}|{match.options}|{match.server_part}"

    @cached_property
    def parts(self) -> list[PartLine]:
        seats = self.match.seats.select_related("user").order_by("index")
        if not self.is_told:
            return [PartLine(seat) for seat in seats]
        secret = self.match.server_part
        return [
            PartLine(seat, seat.part != deal.default_part(secret, seat.index), f"{secret}|{seat.index}")
            for seat in seats
        ]

    @property
    def joined(self) -> str:
        """The text of which the seed is the fingerprint. Only once the match is over."""
        return "|".join([self.match.server_part, *(line.seat.part for line in self.parts)])

    @cached_property
    def seed(self) -> str:
        return replay.seed(self.match)
