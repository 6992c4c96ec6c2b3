"""`python -m tests.services.bots URL MATCHES [SEED [FEW]]`: bots play by the API of the running server, over all games.

With FEW all tables have as few seats as their game allows, and a bot resigns after so many moves.

Each is `examples/bot.py` as it is shipped, in a thread of its own. When all matches are over, what the programs were
told is compared with what the database has. Ends with what was found, and status 1, if they differ.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import DatabaseError, connection, transaction  # noqa: E402

from games import registry  # noqa: E402
from gemserver.clocks.control import TimeControl  # noqa: E402
from gemserver.lib import clock  # noqa: E402
from gemserver.matches.actions.tables.open_table import open_table  # noqa: E402
from gemserver.matches.actions.tables.terms import Terms  # noqa: E402
from gemserver.matches.locking import lock_match  # noqa: E402
from gemserver.matches.models import KeyedRequest, Match, Move, SealedOrder, Seat  # noqa: E402
from gemserver.matches.verify import first_difference  # noqa: E402
from tests.examples.shipped import load, make_bot  # noqa: E402
from tests.faults.crowd import make_user  # noqa: E402
from tests.services.log import say  # noqa: E402

PROGRAMS, AT_ONCE, MOST = 16, 12, 20
"""Bots; tables that wait at one time; matches in which one bot plays at one time."""
STANDSTILL = 180
"""Seconds without a single move after which the run is given up."""
LOOK_EVERY = 1.0
SAY_EVERY = 60.0
WEEK = TimeControl.per_move(timedelta(days=7))

Bot: Any = load().Bot


class Witness(Bot):  # type: ignore[misc]
    """The example, which notes the keys under which it was told that something was done."""

    def __init__(self, site: str, token: str, few: int) -> None:
        super().__init__(site, token, most=MOST)
        self._few = few
        self._moves = Counter[str]()
        # As nginx passes them on.
        self.headers |= {"Host": urlsplit(settings.SITE_URL).netloc, "X-Forwarded-Proto": "https"}
        self.told: dict[str, str] = {}
        self.fault: Exception | None = None

    def ask(self, path: str, body: Any = None, **headers: str) -> Any:
        key = str(uuid4())
        answer = super().ask(path, body, **({"Idempotency-Key": key} if body is not None else {}), **headers)
        if body is not None:
            self.told[key] = path
        return answer

    def play(self, code: str) -> None:
        if self._few and self._moves[code] == self._few:
            self.ask(f"matches/{code}/resign", {})
            return
        super().play(code)
        self._moves[code] += 1

    def play_on(self, end: threading.Event) -> None:
        try:
            while not end.is_set():
                self.look()
        except Exception as fault:  # told by the thread that waits
            self.fault = fault


def main(site: str, number: int, seed: int = 1, few: int = 0) -> int:
    """Let the bots play this many matches; return how many faults were found."""
    random.seed(seed)
    programs = _make_programs(site, few)
    end, opened = threading.Event(), list(_tables(number, is_small=few > 0))
    threads = [threading.Thread(target=bot.play_on, args=(end,), daemon=True) for bot in programs]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    found = _wait(opened, programs)
    end.set()
    for thread in threads:
        thread.join(STANDSTILL)
    spent = time.monotonic() - began
    found += list(_faults(programs))
    moves = Move.objects.filter(source=Move.Source.API).count()
    kinds = set(Match.objects.filter(allows_bots=True).values_list("game", "seat_count"))
    say(
        f"{number} matches of {len(kinds)} kinds (game and seats), {moves} moves by programs in {spent:.0f} s"
    )
    for fault in found[:20]:
        print(f"* {fault}", file=sys.stderr)
    return len(found)


def _make_programs(site: str, few: int) -> list[Witness]:
    """Bots of as many people: nobody sits with two hands at one table."""
    owners = [make_user(f"owner{number}") for number in range(PROGRAMS)]
    tokens = [make_bot(owner, f"tin{number}")[1] for number, owner in enumerate(owners)]
    return [Witness(site, token, few) for token in tokens]


def _tables(number: int, *, is_small: bool) -> Iterator[tuple[str, int]]:
    """Game and seats of so many tables: every game first, then every number of seats, and again."""
    metas = [game.rules.meta for game in registry.GAMES.values()]
    sizes = range(min(meta.min_seats for meta in metas), max(meta.max_seats for meta in metas) + 1)
    kinds = [
        (meta.slug, seats) for seats in sizes for meta in metas if meta.min_seats <= seats <= meta.max_seats
    ]
    if is_small:
        kinds = [(meta.slug, meta.min_seats) for meta in metas]
    yield from (kinds[place % len(kinds)] for place in range(number))


def _wait(tables: list[tuple[str, int]], programs: list[Witness]) -> list[str]:
    """Keep some tables open until all matches have been played; return what went wrong."""
    total, last, moved, said = len(tables), -1, time.monotonic(), time.monotonic()
    while True:
        if faults := [repr(bot.fault) for bot in programs if bot.fault]:
            return [f"a program ended by itself: {fault}" for fault in faults]
        try:
            over, done = _look(tables)
        except DatabaseError:
            connection.close()
            continue
        if over == total:
            return []
        if done != last:
            last, moved = done, time.monotonic()
        if time.monotonic() - moved > STANDSTILL:
            return [f"{total - over} matches stand still: {_standing()}"]
        if time.monotonic() - said > SAY_EVERY:
            said = time.monotonic()
            say(f"{over} of {total} matches are over, {done} moves")
        time.sleep(LOOK_EVERY)


def _look(tables: list[tuple[str, int]]) -> tuple[int, int]:
    """Open the next tables; return how many matches are over, and how many moves were played."""
    own = Match.objects.filter(allows_bots=True)
    waiting = own.filter(status=Match.Status.OPEN).count()
    for _ in range(min(len(tables), AT_ONCE - waiting)):
        game, seats = tables.pop()
        terms = Terms(game=game, seats=seats, time_control=WEEK, allows_bots=True)
        open_table(None, terms, now=clock.now())
    return own.filter(status=Match.Status.FINISHED).count(), Move.objects.count()


def _standing() -> str:
    rows = Match.objects.filter(status__in=["open", "running"]).order_by("pk")[:5]
    return ", ".join(
        f"{row.code} {row.game} {row.status}, waits for "
        f"{[seat.name for seat in Seat.objects.filter(match=row, is_waiting=True)]}"
        for row in rows
    )


def _faults(programs: list[Witness]) -> Iterator[str]:
    """Whatever was done is what the programs were told, each thing once; and matches follow from their moves."""
    told = Counter(key for bot in programs for key in bot.told)
    kept = Counter(name.rpartition(":")[2] for name in KeyedRequest.objects.values_list("name", flat=True))
    yield from _differences(told, kept, "requests")
    moved = Counter(
        key for bot in programs for key, path in bot.told.items() if path.endswith(("/move", "/resign"))
    )
    names = {
        name
        for rows in (Move.objects.all(), SealedOrder.objects.all())
        for name in rows.filter(source=Move.Source.API).values_list("request_id", flat=True)
        if name
    }
    yield from _differences(moved, Counter(name.rpartition(":")[2] for name in names), "moves")
    for pk in Match.objects.exclude(started_at=None).values_list("pk", flat=True):
        with transaction.atomic():
            match = lock_match(pk)
            if difference := first_difference(match):
                yield f"{match.code} {match.game} does not follow from its moves: {difference}"


def _differences(told: Counter[str], kept: Counter[str], what: str) -> Iterator[str]:
    if lost := told - kept:
        yield f"{lost.total()} {what} were told to be done, and are lost: {list(lost)[:3]}"
    if twice := kept - told:
        yield f"{twice.total()} {what} were done that nobody was told of: {list(twice)[:3]}"


if __name__ == "__main__":
    url, *numbers = sys.argv[1:]
    sys.exit(f"FOUND: {faults} faults" if (faults := main(url, *map(int, numbers))) else 0)
