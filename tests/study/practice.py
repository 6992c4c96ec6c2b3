"""Practice matches in which the player is asked."""

from __future__ import annotations

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.actions.tables.start_practice import start_practice
from gemserver.matches.models import Match


def practise(user: User, game: str = "gem") -> Match:
    """A match against easy bots that waits for the user."""
    match = start_practice(user, game, now=clock.now())
    for _ in range(20):
        if match.seats.filter(user=user, is_waiting=True).exists():
            return Match.objects.get(pk=match.pk)
        sweeps.play_bots(match.pk)
    raise AssertionError("nobody was asked")
