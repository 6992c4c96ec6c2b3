"""`python -m tests.services.sweeper COMMAND`: one process of the days that `tests.services.days` lets pass.

`deal N`: N running matches of two people with a day for each move, on a server that has just swept. `up`: the server
has swept until now. `sweep`: sweep without end. `play N`: the players who are asked move in N matches. In the mode
`test`, with the clock put ahead by CLOCK_OFFSET.
"""

from __future__ import annotations

import sys
import time
from datetime import timedelta

import django

django.setup()

from gemserver.clocks.control import TimeControl  # noqa: E402
from gemserver.lib import clock  # noqa: E402
from gemserver.matches import replay, sweeps  # noqa: E402
from gemserver.matches.models import Heartbeat, Match, Seat  # noqa: E402
from tests.builders import make_match, make_user, play  # noqa: E402

DAY = TimeControl.per_move(timedelta(days=1))


def deal(count: int) -> None:
    people = [make_user(name) for name in ("ana", "ben")]
    for _ in range(count):
        make_match("gem", people, time_control=DAY, now=clock.now())
    sweeps.act_on_deadlines()


def up() -> None:
    Heartbeat.objects.update(at=clock.now())


def sweep() -> None:
    while True:
        sweeps.act_on_deadlines()
        time.sleep(0.02)


def play_some(count: int) -> None:
    for match in Match.objects.order_by("pk")[:count]:
        seat = Seat.objects.get(match=match, is_waiting=True)
        move = match.rules.default_move(replay.position(match), seat.index)
        play(match, seat.index, match.rules.write(move), now=clock.now())


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["deal", number]:
            deal(int(number))
        case ["up"]:
            up()
        case ["sweep"]:
            sweep()
        case ["play", number]:
            play_some(int(number))
