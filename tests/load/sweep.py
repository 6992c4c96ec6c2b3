"""The cost of one sweep of deadlines with 1 000 due seats among few and among many that wait."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.core.management import call_command
from django.db import connection
from django.db.models import Model, QuerySet

from gemserver.clocks.control import TimeControl
from gemserver.lib import clock
from gemserver.matches import sweeps
from gemserver.matches.models import Match, Move, Seat
from gemserver.notify.models import OutboxMessage
from tests.builders import NOON, make_match, make_user
from tests.load.figures import Figure, Say

FEW, MANY = 10_000, 1_000_000
DUE, ROUNDS = 1_000, 5
"""Seats that fall due, divided equally among this many sweeps; a single one would depend on one moment."""
IDLE = 40
MOST = 1.5
"""Factor by which a sweep among many may cost more than one among few."""
SEATS = 4
"""Seats of the matches that only wait, each of them asked."""
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@dataclass
class Crowd:
    """A database with a number of waiting seats; seconds and statements of the sweeps on it."""

    waiting: int
    idle: list[float] = field(default_factory=list)
    busy: list[float] = field(default_factory=list)
    statements: int = 0

    @property
    def name(self) -> str:
        return f"gem_{self.waiting}"


def measure(say: Say, folder: Path) -> list[Figure]:
    """Fill both databases and sweep them in turn. Raises RuntimeError if a sweep reads all seats."""
    few, many = Crowd(FEW), Crowd(MANY)
    for crowd in (few, many):
        began = time.perf_counter()
        _fill(crowd)
        say(f"{crowd.waiting:>9} waiting seats filled in, {time.perf_counter() - began:.0f} s")
    for number in range(ROUNDS):
        for crowd in (few, many) if number % 2 else (many, few):
            _sweep(crowd, number)
    for crowd in (few, many):
        say(
            f"{crowd.waiting:>9} waiting: {DUE} due {sum(crowd.busy):7.2f} s "
            f"({1000 * sum(crowd.busy) / DUE:.1f} ms and {crowd.statements / DUE:.0f} statements each), "
            f"nothing due {1000 * statistics.median(crowd.idle):.1f} ms"
        )
    if not _are_all_indexed(many, say):
        raise RuntimeError("a sweep reads all seats")
    busy = [1000 * sum(crowd.busy) / DUE for crowd in (many, few)]
    idle = [1000 * statistics.median(crowd.idle) for crowd in (many, few)]
    beside = f"among {FEW:,}"
    return [
        Figure(f"a sweep, per due seat among {MANY:,}", busy[0], beside, busy[1], "ms", "at most", MOST),
        Figure("a sweep that finds nothing due", idle[0], beside, idle[1], "ms", "at most"),
    ]


@contextmanager
def _using(crowd: Crowd) -> Iterator[None]:
    """Use this crowd's database, at noon."""
    connection.close()
    connection.settings_dict["NAME"] = crowd.name
    with patch.object(clock, "now", lambda: NOON):
        yield


def _fill(crowd: Crowd) -> None:
    """Make a real match for each seat that will be due, and the bare rows of those that only wait."""
    connection.close()
    connection.settings_dict["NAME"] = "gem_sweep"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {crowd.name}")
    with _using(crowd):
        call_command("migrate", verbosity=0)
        control = TimeControl.per_move(DAY)
        match = make_match("gem", [make_user("ana"), make_user("ben")], time_control=control, now=NOON)
        _copy_matches(match, "D", DUE)
        _copy_matches(match, "W", crowd.waiting // SEATS, position="''")
        _copy_seats("D", match.pk)
        _add_waiting_seats()
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
            cursor.execute("CHECKPOINT")


def _copy_matches(match: Match, letter: str, times: int, **changes: str) -> None:
    """Insert rows like that of this match, with the codes D1, D2, …"""
    values = {name: f'given."{name}"' for name in _columns(Match)}
    values |= {"code": f"'{letter}' || number", **changes}
    _insert(Match, values, "matches_match given, generate_series(1, %s) number WHERE given.id = %s")(
        times, match.pk
    )


def _copy_seats(letter: str, match_id: int) -> None:
    """Insert the seats of this match for each of the copies; their addresses are nobody's."""
    values = {name: f'given."{name}"' for name in _columns(Seat)}
    values |= {"match_id": "copy.id", "token_hash": "NULL"}
    source = "matches_seat given, matches_match copy WHERE given.match_id = %s AND copy.code LIKE %s"
    _insert(Seat, values, source)(match_id, f"{letter}%")


def _add_waiting_seats() -> None:
    """Insert seats of nobody, due within a week from tomorrow."""
    values = {name: f'given."{name}"' for name in _columns(Seat)}
    values |= {
        "match_id": "copy.id",
        "index": "number",
        "user_id": "NULL",
        "token_hash": "NULL",
        "is_waiting": "true",
        "due_at": "%s + interval '1 day' + random() * interval '7 days'",
        "remind_at": "%s + interval '20 hours' + random() * interval '7 days'",
    }
    source = (
        "(SELECT * FROM matches_seat ORDER BY id LIMIT 1) given, matches_match copy, "
        "generate_series(0, %s) number WHERE copy.code LIKE 'W%%'"
    )
    _insert(Seat, values, source)(NOON, NOON, SEATS - 1)


def _columns(model: type[Model]) -> list[str]:
    return [field.column for field in model._meta.local_concrete_fields if not field.primary_key]


def _insert(model: type[Model], values: dict[str, str], source: str) -> Callable[..., None]:
    """A function that inserts a row of these expressions for each row of the source, given the parameters in order."""

    def insert(*parameters: object) -> None:
        names = ", ".join(f'"{name}"' for name in values)
        table = model._meta.db_table
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(values.values())} FROM {source}", parameters
            )

    return insert


def _sweep(crowd: Crowd, number: int) -> None:
    """Run some sweeps that find nothing, and one that finds its share of those that fall due."""
    share = DUE // ROUNDS
    with _using(crowd):
        for _ in range(IDLE // ROUNDS):
            crowd.idle.append(_time_a_sweep())
        matches = Match.objects.filter(code__in=[f"D{number * share + one + 1}" for one in range(share)])
        asked = Seat.objects.filter(match__in=matches, is_waiting=True)
        asked.update(prompted_at=NOON - DAY - MINUTE, due_at=NOON - MINUTE)
        counter = _Counter()
        with connection.execute_wrapper(counter):
            took = _time_a_sweep()
            # On a slow machine a sweep leaves the rest to the next.
            while asked.filter(due_at__lte=NOON).exists():
                took += _time_a_sweep()
        crowd.busy.append(took)
        crowd.statements += counter.statements
        acted = Move.objects.filter(source=Move.Source.CLOCK, match__in=matches).count()
        assert acted == share, f"{acted} of {share} deadlines were acted on"


class _Counter:
    """Counts statements; for `connection.execute_wrapper`."""

    def __init__(self) -> None:
        self.statements = 0

    def __call__(self, execute: Callable[..., Any], *arguments: Any) -> Any:
        self.statements += 1
        return execute(*arguments)


def _time_a_sweep() -> float:
    began = time.perf_counter()
    sweeps.act_on_deadlines()
    return time.perf_counter() - began


def _are_all_indexed(crowd: Crowd, say: Say) -> bool:
    """Print the query plans of the sweeps; True if none of them reads all seats."""
    questions: dict[str, QuerySet[Any]] = {
        "reminders": sweeps.seats_to_remind(NOON)[: sweeps.BATCH],
        "digests": sweeps.digests_due(NOON)[: sweeps.BATCH],
        "deadlines": sweeps.seats_due(NOON)[: sweeps.BATCH],
        "bots": sweeps.waiting_bots().filter(prompted_at__lte=NOON)[: sweeps.BOTS],
        "mails": OutboxMessage.objects.filter(state="queued", available_at__lte=NOON).order_by(
            "available_at", "pk"
        ),
    }
    with _using(crowd):
        plans = {name: rows.values_list("pk", flat=True).explain() for name, rows in questions.items()}
    for name, plan in plans.items():
        lines = [line.strip(" ->") for line in plan.splitlines() if "Scan" in line]
        say(f"{name:>10}: " + "; ".join(line.partition("  (")[0] for line in lines))
    return not any("Seq Scan on matches_seat" in plan for plan in plans.values())
