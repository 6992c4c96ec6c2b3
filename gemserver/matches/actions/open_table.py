"""Opening a table."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from games import deal, registry
from games.contract import GameMeta
from gemserver.accounts.models import User
from gemserver.clocks.control import TimeControl
from gemserver.matches.models import Match
from gemserver.matches.refusal import Refused


def open_table(
    creator: User | None,
    *,
    game: str,
    seats: int,
    options: Mapping[str, str],
    time_control: TimeControl,
    free_weekends: bool = False,
    vacation_days: int | None = None,
    absence: Match.Absence = Match.Absence.DEFAULT,
    now: datetime,
) -> Match:
    """A new table with its commitment, before anyone joins (the creator joins like anybody).

    `vacation_days`: so many of a player's days of vacation count in this match; None: all.

    Raises Refused(no-such-game, wrong-seats, no-such-option).
    """
    meta = _meta(game)
    if not meta.min_seats <= seats <= meta.max_seats:
        raise Refused(
            "wrong-seats",
            "{title} is played with {least} to {most} seats; choose a number in that range.",
            title=meta.title,
            least=meta.min_seats,
            most=meta.max_seats,
        )
    server_part = secrets.token_hex(32)
    with transaction.atomic():
        match = Match.objects.create(
            code=f"new-{server_part[:12]}",  # the code follows from the row's number
            game=game,
            rules_version=meta.version,
            options=options_text(meta, options, seats),
            seat_count=seats,
            bank=time_control.bank,
            increment=time_control.increment,
            cap=time_control.cap,
            free_weekends=free_weekends,
            vacation_days=vacation_days,
            absence=absence,
            created_by=creator,
            created_at=now,
            server_part=server_part,
        )
        match.code = f"M{match.pk}"
        match.commitment = deal.commitment(match.code, game, meta.version, match.options, server_part)
        match.save(update_fields=["code", "commitment"])
    return match


def _meta(game: str) -> GameMeta:
    if game not in registry.GAMES:
        raise Refused(
            "no-such-game",
            "There is no game {game}; choose one of {games}.",
            game=game,
            games=", ".join(registry.GAMES),
        )
    return registry.GAMES[game].rules.meta


def options_text(meta: GameMeta, options: Mapping[str, str], seats: int) -> str:
    """The `Options:` line: every option of the game, defaults filled in; raises Refused(no-such-option)."""
    allowed = {option.name: option.values_for(seats) for option in meta.options}
    for name, value in options.items():
        if value not in allowed.get(name, ()):
            raise Refused(
                "no-such-option",
                "{title} has no option {name}={value}; leave it out.",
                title=meta.title,
                name=name,
                value=value,
            )
    chosen = {name: options.get(name, values[0]) for name, values in allowed.items()}
    return " ".join(f"{name}={value}" for name, value in chosen.items())
