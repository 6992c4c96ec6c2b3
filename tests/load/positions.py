"""The position of a long match, read from its row and drawn, compared with that of the same match early on."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.utils import translation

from gemserver.accounts.models import User
from gemserver.lib import clock
from gemserver.matches import prompts, replay, selectors
from gemserver.matches.boards import board
from gemserver.matches.models import Match
from tests.builders import make_match, make_user, play
from tests.load.figures import Figure, Say

SEATS, EARLY, LATE = 8, 10, 285
"""Eight seats of Jewellers that bid one more each time play 285 moves, more than any other match of the five games."""
ROUNDS, TIMES = 5, 6


def measure(say: Say, folder: Path) -> list[Figure]:
    """Measure one deal twice, played to an early and to a late ply."""
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS.append("testserver")
    players = [make_user(f"p{number}") for number in range(SEATS)]
    early, late = (_play_up_to(ply, players) for ply in (EARLY, LATE))
    say(f"{late.code} stands at ply {late.ply}, {early.code} at ply {early.ply}")
    drawn = _alternate(lambda match: _draw(match), early, late)
    shown = _alternate(lambda match: _show(match), early, late)
    return [
        Figure("a position read and drawn, ply 285", drawn[1], "ply 10", drawn[0], "ms", "at most", 2),
        Figure("the whole page of that match, with its log", shown[1], "ply 10", shown[0], "ms", "at most"),
    ]


def _play_up_to(ply: int, players: list[User]) -> Match:
    match = make_match("jewellers", players, server_part="7" * 64, now=clock.now())
    while match.ply < ply and match.is_running:
        state = replay.position(match)
        seat = min(match.rules.waiting_on(state))
        *_, move = islice(match.rules.legal_moves(state, seat), 2)  # the lowest possible bid
        play(match, seat, match.rules.write(move), now=clock.now())
        match = Match.objects.get(pk=match.pk)
    return match


def _alternate(act: Callable[[Match], object], early: Match, late: Match) -> tuple[float, float]:
    """Milliseconds for each, in turn: the medians."""
    found: dict[int, list[float]] = {early.pk: [], late.pk: []}
    for number in range(ROUNDS):
        for match in (early, late) if number % 2 else (late, early):
            began = time.process_time()
            for _ in range(TIMES):
                act(match)
            found[match.pk].append(1000 * (time.process_time() - began) / TIMES)
    return statistics.median(found[early.pk]), statistics.median(found[late.pk])


def _draw(match: Match) -> None:
    """Draw the position as a page and a mail show it, picture and text."""
    read = Match.objects.get(pk=match.pk)
    position = replay.position(read)
    view = read.rules.view(position, 0)
    names, asked = selectors.names(read), prompts.find_asked(read, position)
    board.svg(read, view, names, asked)
    read.words.draw(view, translation, names, asked)


def _show(match: Match) -> None:
    response = Client().get(match.get_absolute_url())
    assert response.status_code == 200
