"""Finds what the address of a page names: a match, its reader, a game. What the reader may not know of is not found."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from games import registry
from games.contract import Game
from gemserver.accounts.models import User
from gemserver.matches import readers
from gemserver.matches.models import Match, Seat
from gemserver.matches.readers import Reader
from gemserver.matches.refusal import Refused


def find_match(code: str, user: User | AnonymousUser) -> tuple[Match, Seat | None]:
    """Like `readers.find_match`; raises Http404."""
    try:
        return readers.find_match(code, user)
    except Refused as refusal:
        raise Http404 from refusal


def find_reader(code: str, user: User | AnonymousUser, now: datetime) -> Reader:
    """Like `readers.find_reader`; raises Http404."""
    try:
        return readers.find_reader(code, user, now)
    except Refused as refusal:
        raise Http404 from refusal


def find_game(slug: str) -> Game:
    """The game of this slug, if it is offered here; raises Http404."""
    if slug not in registry.GAMES:
        raise Http404
    return registry.GAMES[slug]
