"""The players whom a reader follows, each with the tables at which they wait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from gemserver.accounts.models import User
from gemserver.matches import tables
from gemserver.matches.models import Match, Seat


@dataclass(frozen=True, slots=True)
class Followed:
    """A player whom the reader follows, and the tables with that player that the reader may join."""

    player: User
    tables: Sequence[Match]


def list_followed(reader: User) -> list[Followed]:
    """List by name whom the reader follows; the number of queries is the same however many these are."""
    players = User.objects.filter(pk__in=reader.follows.values("followed"), is_active=True).select_related(
        "owner"
    )
    waiting = {match.pk: match for match in tables.open_to_all(reader).filter(has_followed_player(reader))}
    found: dict[int, list[Match]] = {}
    for seat in Seat.objects.filter(match__in=waiting, user__in=players).order_by("-match"):
        assert seat.user_id is not None
        found.setdefault(seat.user_id, []).append(waiting[seat.match_id])
    return [Followed(player, found.get(player.pk, [])) for player in players.order_by("username")]


def has_followed_player(reader: User) -> Q:
    """The condition that a player whom the reader follows sits at the table."""
    followed = reader.follows.values("followed")
    return Q(Exists(Seat.objects.filter(match=OuterRef("pk"), user__in=followed)))
