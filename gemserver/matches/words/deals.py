"""Say who may have chosen a deal; that depends on which parts came after the server promised its secret."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext, ngettext

from games import deal
from gemserver.matches.models import Match, Seat


def is_told(match: Match) -> bool:
    """True if the server's secret is public: the match is over, or was cancelled before it began."""
    return match.status in {Match.Status.FINISHED, Match.Status.CANCELLED}


def has_given(match: Match, seat: Seat) -> bool:
    """True if the player gave the seat's part; the default part follows from the server's secret.

    While that is secret the stored time decides, because nothing shown may be computed from the secret.
    """
    if not is_told(match):
        return seat.part_at is not None
    return bool(match.server_part) and seat.part != deal.default_part(match.server_part, seat.index)


def came_after_promise(match: Match, seat: Seat) -> bool | None:
    """True if a given part came after the secret was promised; None if the times were not recorded."""
    if match.promised_at is None or seat.part_at is None:
        return None
    return seat.part_at > match.promised_at


def say_who_chose(match: Match, seats: Sequence[Seat]) -> str:
    """Say how far this deal can be trusted, by the parts that were given, in the active language.

    `seats`: all seats of the match. Empty for a match that was imported without its deal.
    """
    if not match.server_part:
        return ""
    if match.promised_at is None and not is_told(match):
        return _say_not_noted()
    given = [seat for seat in seats if has_given(match, seat)]
    if not given:
        return _say_server_alone(match)
    after = [seat for seat in given if came_after_promise(match, seat)]
    if after:
        return ngettext(
            "The part of seat %(seats)s was given after the server had promised its secret: "
            "nobody alone can have chosen this deal.",
            "The parts of seats %(seats)s were given after the server had promised its secret: "
            "nobody alone can have chosen this deal.",
            len(after),
        ) % {"seats": _letters(after)}
    if any(came_after_promise(match, seat) is None for seat in given):
        return _say_not_noted()
    return ngettext(
        "The part of seat %(seats)s came together with the opening of the table, before the server had promised its "
        "secret: the server may have chosen this deal. You can only check that it was not changed afterwards.",
        "The parts of seats %(seats)s came before the server had promised its secret: the server may have chosen this "
        "deal. You can only check that it was not changed afterwards.",
        len(given),
    ) % {"seats": _letters(given)}


def _say_not_noted() -> str:
    return gettext(
        "It was not noted whether parts were given before the server promised its secret or after: the server may have "
        "chosen this deal. You can only check that it was not changed afterwards."
    )


def _say_server_alone(match: Match) -> str:
    if match.is_open:
        return gettext(
            "No player has given a part yet. If nobody does, the server alone chooses this deal, and you can only "
            "check that it is not changed afterwards."
        )
    return gettext(
        "No player gave a part: the server alone chose this deal. "
        "You can only check that it was not changed afterwards."
    )


def _letters(seats: Sequence[Seat]) -> str:
    return ", ".join(seat.letter for seat in seats)
