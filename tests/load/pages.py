"""CPU for the page of a match that has gone on for long, its player signed in and asked, beside a page without any.

Each look is the first one at its position, as it is for a player who comes to a move: what the process has found out
about the position by an earlier one is forgotten.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.test import Client

from gemserver.lib import clock
from gemserver.matches.actions.play import propose_undo
from gemserver.matches.models import Match
from tests.builders import is_asked, make_match, make_user, play_until
from tests.load.figures import Figure, Say

SEATS = 4
LATE = {"florentine": 50, "gem": 60, "gembatan": 36, "gemessengers": 60, "jewellers": 60}
"""Plies after which the page is asked for: random moves end a match of four not much later."""
PLAIN = "/fair-play/"
"""A page of the same frame, with a few paragraphs in it."""
ROUNDS, TIMES = 15, 3


def measure(say: Say, folder: Path) -> list[Figure]:
    """Ask for the page of a match of each game and for the plain one, in turn; report the medians."""
    call_command("migrate", verbosity=0)
    settings.ALLOWED_HOSTS.append("testserver")
    players = [make_user(f"p{number}") for number in range(SEATS)]
    client = Client()
    client.force_login(players[0])
    paths = {"plain": PLAIN}
    for slug, late in LATE.items():
        match = make_match(slug, players, server_part="7" * 64, now=clock.now())
        match = play_until(match, _is_late(late, is_asked(players[0])), now=clock.now())
        paths[slug] = match.get_absolute_url()
        say(f"{slug} stands at ply {match.ply}")
    found: dict[str, list[float]] = {name: [] for name in paths}
    again: dict[str, list[float]] = {name: [] for name in paths}
    for number in range(ROUNDS + 1):
        for name, path in paths.items() if number % 2 else reversed(paths.items()):
            took, took_again = _time_looks(client, path)
            if number:  # the first look compiles templates
                found[name].append(took)
                again[name].append(took_again)
    plain, *pages = (statistics.median(times) for times in found.values())
    _, *seen = (statistics.median(times) for times in again.values())
    beside, aim = "a page without a match", 2.5
    return [
        Figure(
            "CPU of the page of a match, its player asked",
            statistics.mean(pages),
            beside,
            plain,
            "ms",
            "at most",
            aim,
        ),
        *(
            Figure(f"the same, {slug}", page, beside, plain, "ms", "at most")
            for slug, page in zip(LATE, pages, strict=True)
        ),
        Figure("the same position again", statistics.mean(seen), beside, plain, "ms", "at most"),
    ]


def _is_late(ply: int, is_asked: Callable[[Match], bool]) -> Callable[[Match], bool]:
    return lambda match: match.ply >= ply and is_asked(match)


def _time_looks(client: Client, path: str) -> tuple[float, float]:
    """Milliseconds of the processor for a look at a position that is new to the process, and for another one."""
    first = again = 0.0
    for _ in range(TIMES):
        propose_undo._shown.clear()
        first += _time_look(client, path)
        again += _time_look(client, path)
    return first / TIMES, again / TIMES


def _time_look(client: Client, path: str) -> float:
    began = time.process_time()
    response = client.get(path)
    assert response.status_code == 200
    return 1000 * (time.process_time() - began)
