"""`python -m tests.services.rush TURNS CODE…`: plays these matches at random until so many turns are over.

A line for each turn of the player `poll`: match, prompt, when its commit was over, and when its answer was begun, in
seconds of the machine's clock; a turn that nobody has answered ends at `inf`.
"""

from __future__ import annotations

import os
import random
import sys
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gemserver.settings")
django.setup()

from games.chance import Chance  # noqa: E402
from gemserver.lib import clock  # noqa: E402
from gemserver.matches import replay  # noqa: E402
from gemserver.matches.models import Match  # noqa: E402
from tests.builders import play  # noqa: E402

POLLS = "poll"
LONGEST_THOUGHT = 0.3
"""Seconds that `poll` takes for a move, at most; some of the turns last long enough to be seen."""


def rush(codes: list[str], turns: int) -> None:
    """Play one move after another, in whichever match comes next, until `poll` has taken so many turns."""
    dice = random.Random(" ".join(codes))
    began: dict[str, tuple[int, float]] = {}
    while turns and codes:
        code = dice.choice(codes)
        match = Match.objects.get(code=code)
        if not match.is_running:
            codes.remove(code)
            continue
        seat = match.seats.select_related("user").get(is_waiting=True)
        if seat.user and seat.user.username == POLLS and code in began:
            time.sleep(max(0.0, began[code][1] + dice.random() * LONGEST_THOUGHT - time.time()))
            _tell(code, began.pop(code), time.time())
            turns -= 1
        state = replay.position(match)
        move = match.rules.random_move(state, seat.index, Chance("0" * 64, f"{code} {match.ply}"))
        play(match, seat.index, match.rules.write(move), now=clock.now())
        asked = match.seats.filter(is_waiting=True, user__username=POLLS).first()
        if asked:
            began[code] = (asked.prompt_ply, time.time())
    for code, turn in began.items():
        _tell(code, turn, float("inf"))


def _tell(code: str, turn: tuple[int, float], ended: float) -> None:
    print(code, *turn, ended)


if __name__ == "__main__":
    rush(sys.argv[2:], int(sys.argv[1]))
